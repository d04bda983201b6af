import { HoldfastError } from '@holdfast/foundation'
import { sql, type Connections } from '@holdfast/postgres'
import type { UploadBatchResponse, UploadRequest, UploadResponse } from '@holdfast/protocol'
import { uploadNeedsUser, uploadNotJudged } from './errors.ts'
import { judgeChain, type ChainEnd, type ChainInput } from './judge-chain.ts'
import { createBatchMemory, judgeUpload, type JudgeContext, type Sender } from './judge-upload.ts'
import { UPLOAD_BATCH_MS_MAX } from './limits.ts'

/**
 * Applies transactions of one device in order, each like {@link judgeUpload} and most of them in chains. Stops after a refusal, after a transient failure, or
 * when time is up.
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
  const { userId } = caller
  if (!userId) throw uploadNeedsUser()
  const results: UploadResponse[] = []
  const memory = createBatchMemory()
  const endMs = context.now() + UPLOAD_BATCH_MS_MAX
  const rest = (): readonly UploadRequest[] => uploads.slice(results.length)
  const chain = { context, sender, userId, memory, onApplied: (result: UploadResponse) => results.push(result) }
  const isOver = (): boolean => results.length === uploads.length || context.now() > endMs
  let end: ChainEnd = 'ended'
  try {
    for (let [upload] = rest(); upload; [upload] = rest()) {
      memory.deferFsync = results.length < uploads.length - 1
      const result = await judgeUpload(context, sender, upload, memory)
      results.push(result)
      if (result.status === 'refused' || isOver()) break
      if (result.repeated) continue
      if (end === 'undecided') for (const { type } of upload.operations) memory.singly.add(type)
      end = await judgeChains(chain, rest, isOver)
      if (isOver()) break
    }
  } catch (thrown) {
    signal.throwIfAborted()
    // The device resends it as the first of its next batch and then gets the reason.
    if (results.length === 0 || !(thrown instanceof HoldfastError)) throw thrown
  }
  if (results.length < uploads.length) await flushCommits(context.share.for({ userKey: userId, signal }))
  return { results }
}

/** Judges chains until one makes no progress. Each waits for its turn among the users. */
async function judgeChains(
  chain: Omit<ChainInput, 'uploads'>,
  rest: () => readonly UploadRequest[],
  isOver: () => boolean,
): Promise<ChainEnd> {
  for (;;) {
    const uploads = rest()
    const end = await judgeChain({ ...chain, uploads })
    if (end === 'undecided' || rest().length === uploads.length || isOver()) return end
  }
}

/** Flushes earlier asynchronous commits with a commit that writes something. */
async function flushCommits(connections: Connections): Promise<void> {
  try {
    await connections.query(sql`select pg_logical_emit_message(true, 'holdfast:upload', '')`)
  } catch (thrown) {
    throw uploadNotJudged(thrown) // the device retries and gets the recorded verdict
  }
}
