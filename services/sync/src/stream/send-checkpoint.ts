import type { LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import type { LineSink } from './line-sink.ts'
import { isPlainDiff, type NextCheckpoint, type PriorityGroup } from './next-checkpoint.ts'
import { sendOps } from './send-ops.ts'
import type { SessionBuckets } from './session-buckets.ts'
import type { SessionKeys } from './session-keys.ts'
import type { CompletedCheckpoint } from './session-state.ts'
import type { StreamContext } from './stream-context.ts'

export interface CheckpointSenderOptions {
  readonly context: StreamContext
  readonly sink: LineSink
  readonly signal: AbortSignal
  readonly device: string
  readonly keys: SessionKeys
  readonly buckets: SessionBuckets
}

/** Sends one session's checkpoints and the operations that follow them. */
export class CheckpointSender {
  readonly #context: StreamContext
  readonly #sink: LineSink
  readonly #signal: AbortSignal
  readonly #device: string
  readonly #keys: SessionKeys
  readonly #buckets: SessionBuckets
  #pendingCompletion: readonly LiveBucket[] | undefined
  // Two numbers instead of an object, because they are set per checkpoint and device.
  #completedOpId = 0
  #completedAtMs = 0

  constructor(options: CheckpointSenderOptions) {
    this.#context = options.context
    this.#sink = options.sink
    this.#signal = options.signal
    this.#device = options.device
    this.#keys = options.keys
    this.#buckets = options.buckets
  }

  /** Buckets of a checkpoint that could not be completed. The next one completes them, even if nothing else is new. */
  get pendingCompletion(): readonly LiveBucket[] | undefined {
    return this.#pendingCompletion
  }

  /** The last checkpoint that was sent whole. */
  get completed(): CompletedCheckpoint | undefined {
    return this.#completedAtMs === 0 ? undefined : { opId: this.#completedOpId, atMs: this.#completedAtMs }
  }

  async send(next: NextCheckpoint): Promise<void> {
    const shared = this.#takeShared(next)
    if (shared) {
      this.#pendingCompletion = undefined
      await this.#sink.lines(shared)
      this.#complete(next.opId)
      return
    }
    const { line, groups, opId } = next
    // Pending until everything has been sent, even if the log is temporarily unavailable.
    this.#pendingCompletion = bucketsOf(groups)
    await this.#sink.control(line)
    for (const [index, { priority }] of groups.entries()) {
      if (!(await this.#sendGroup(groups.slice(index), opId))) return
      if (index < groups.length - 1)
        await this.#sink.control({ partial_checkpoint_complete: { last_op_id: String(opId), priority } })
    }
    this.#pendingCompletion = undefined
    await this.#sink.control({ checkpoint_complete: { last_op_id: String(opId) } })
    this.#complete(opId)
  }

  #complete(opId: number): void {
    this.#completedOpId = opId
    this.#completedAtMs = Date.now()
  }

  /** Returns the checkpoint with its operations encoded once, if many devices get the same. */
  #takeShared({ line, groups, opId, writeCheckpoint }: NextCheckpoint): Buffer | undefined {
    const [only, ...others] = groups
    const [held, ...more] = only?.buckets ?? []
    if (!held || others.length > 0 || more.length > 0 || !isPlainDiff(line)) return undefined
    const id = `${held.grant.text} ${writeCheckpoint ?? ''}`
    return this.#context.sharedLines.take(this.#sink.format, { held, opId, line, id })
  }

  /**
   * Sends the operations of the most urgent group.
   *
   * @returns whether its priority is complete: no newer checkpoint changes its buckets or is about to, and nothing more urgent is waiting
   */
  async #sendGroup(groups: readonly PriorityGroup[], opId: number): Promise<boolean> {
    const [{ priority, buckets }] = groups as [PriorityGroup]
    const isOvertaken = (): boolean => this.#buckets.highestDirtyPriority < priority
    try {
      const { isWhole, fromLog } = await sendOps(
        this.#context,
        this.#sink,
        buckets,
        opId,
        this.#signal,
        this.#device,
        isOvertaken,
      )
      if (isWhole && !this.#hasHoles(fromLog, opId)) return true
      this.#pendingCompletion = bucketsOf(groups)
      this.#markUnsent(isWhole ? groups.slice(1) : groups)
      return false
    } catch (error) {
      this.#markUnsent(groups)
      throw error
    }
  }

  #markUnsent(groups: readonly PriorityGroup[]): void {
    for (const { buckets } of groups) for (const entry of buckets) this.#buckets.markUnsent(entry)
  }

  /** Whether data read from the log for a checkpoint may lack versions superseded since. */
  #hasHoles(fromLog: readonly LiveBucket[], opId: number): boolean {
    return (
      this.#context.plan() !== this.#keys.plan ||
      !this.#buckets.isOfEpoch ||
      fromLog.some((bucket) => bucket.supersededAt > opId)
    )
  }
}

function bucketsOf(groups: readonly PriorityGroup[]): readonly LiveBucket[] {
  return groups.flatMap(({ buckets }) => buckets.map((entry) => entry.bucket))
}
