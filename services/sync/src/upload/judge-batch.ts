import { HoldfastError } from '@holdfast/foundation'
import { sql, type Connections } from '@holdfast/postgres'
import type { UploadBatchResponse, UploadRequest, UploadResponse } from '@holdfast/protocol'
import { uploadNotJudged } from './errors.ts'
import { judgeUpload, type BatchMemory, type JudgeContext, type Sender } from './judge-upload.ts'
import { UPLOAD_BATCH_MS_MAX } from './limits.ts'

/**
 * Judges transactions of one device one after the other, each as {@link judgeUpload} does. Ends with the first that is refused, when Postgres cannot
 * judge the next one now, and when it takes long.
 *
 * @returns the judgements of the first transactions, at least one
 * @throws as {@link judgeUpload}, when the first cannot be judged
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
      // The device sends it again, as the first of the next batch, and gets the reason then.
      if (results.length > 0 && thrown instanceof HoldfastError) break
      throw thrown
    }
    if (results.at(-1)?.status === 'refused' || context.now() > endMs) break
  }
  if (results.length < uploads.length) await flushCommits(context.share.for({ userKey: caller.userId, signal }))
  return { results }
}

/** Brings what was committed so far to the disk, with a commit of its own that has something to write. */
async function flushCommits(connections: Connections): Promise<void> {
  try {
    await connections.query(sql`select pg_logical_emit_message(true, 'holdfast:upload', '')`)
  } catch (thrown) {
    throw uploadNotJudged(thrown) // the device asks again, and gets the recorded verdict
  }
}
