import { HoldfastError } from '@holdfast/foundation'
import { sql, type Connections } from '@holdfast/postgres'
import type { UploadBatchResponse, UploadRequest, UploadResponse } from '@holdfast/protocol'
import { uploadNotJudged } from './errors.ts'
import { judgeUpload, type BatchMemory, type JudgeContext, type Sender } from './judge-upload.ts'
import { UPLOAD_BATCH_MS_MAX } from './limits.ts'

/**
 * Applies transactions of one device in order, each like {@link judgeUpload}. Stops after a refusal, after a transient failure, or when time is up.
 *
 * @returns results of the first transactions, at least one
 * @throws as {@link judgeUpload}, if the first transaction fails
 */
export async function judgeBatch(
  context: JudgeContext,
  sender: Sender,
  uploads: readonly UploadRequest[],
): Promise<UploadBatchResponse> {
  const { caller, signal } = sender
  const results: UploadResponse[] = []
  const memory: BatchMemory = { tables: new Map(), deferFsync: false }
  const endMs = context.now() + UPLOAD_BATCH_MS_MAX
  for (const [index, upload] of uploads.entries()) {
    memory.deferFsync = index < uploads.length - 1
    try {
      results.push(await judgeUpload(context, sender, upload, memory))
    } catch (thrown) {
      signal.throwIfAborted()
      // The device resends it as the first of its next batch and then gets the reason.
      if (results.length > 0 && thrown instanceof HoldfastError) break
      throw thrown
    }
    if (results.at(-1)?.status === 'refused' || context.now() > endMs) break
  }
  if (results.length < uploads.length) await flushCommits(context.share.for({ userKey: caller.userId, signal }))
  return { results }
}

/** Flushes earlier asynchronous commits with a commit that writes something. */
async function flushCommits(connections: Connections): Promise<void> {
  try {
    await connections.query(sql`select pg_logical_emit_message(true, 'holdfast:upload', '')`)
  } catch (thrown) {
    throw uploadNotJudged(thrown) // the device retries and gets the recorded verdict
  }
}
