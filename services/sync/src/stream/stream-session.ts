import { delay } from '@holdfast/foundation'
import { isConnectionLoss, type Session as SqlSession } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { ExpectingListener, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import type { Device, WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { isLogReadFailure } from '../storage/log-read-failure.ts'
import { nextCheckpoint, NOTHING_TOLD, type NextCheckpoint } from './next-checkpoint.ts'
import { CheckpointSender } from './send-checkpoint.ts'
import { SessionBuckets } from './session-buckets.ts'
import { SessionKeys } from './session-keys.ts'
import {
  nextStep,
  RESTING,
  transition,
  type Phase,
  type PhaseEffect,
  type PhaseEvent,
  type Step,
} from './session-phase.ts'
import type { SessionState } from './session-state.ts'
import type { StreamContext, StreamSession, StreamSessionOptions } from './stream-context.ts'
import { UploadPace } from './upload-pace.ts'
import { afterAsked, afterPosition, afterRead, NOTHING_READ } from './write-checkpoint-progress.ts'

const RETRY_MS = 200

/**
 * Streams to one device: keys → checkpoint → operations → complete, then waits for changes.
 * A checkpoint at position `c` is sent only with keys that are valid at `c`: the query that computed them saw every transaction up to `c` that could have
 * changed them, and everything that it saw is included in `c`.
 */
export function createStreamSession(options: StreamSessionOptions): StreamSession {
  return new Session(options)
}

/**
 * Connects the parts of a session, each with its own state: phase, keys, buckets, what the device was told, and what must still be completed. Nothing else
 * persists between two steps.
 */
class Session implements StreamSession, ExpectingListener {
  // The options are not kept, because some of their values are needed only at the start.
  readonly #context: StreamContext
  readonly #signal: AbortSignal
  readonly #writer: Device
  readonly #onEnd: (reason: unknown) => void
  readonly #keys: SessionKeys
  readonly #buckets: SessionBuckets
  readonly #sender: CheckpointSender
  #phase: Phase = RESTING
  #writeCheckpoints = NOTHING_READ
  #told = NOTHING_TOLD
  #current: Step | undefined
  #workingSinceMs = 0
  #isResyncAsked = false
  /** Of a device that has uploaded changes during this connection. */
  #uploads: UploadPace | undefined

  constructor({ context, session, device, sink, signal, positions, wanted, writer, onEnd }: StreamSessionOptions) {
    const { feed, downloads, readBuckets } = context
    this.#context = context
    this.#signal = signal
    this.#writer = writer
    this.#onEnd = onEnd
    this.#buckets = new SessionBuckets({ feed, downloads, readBuckets, device, listener: this, positions, signal })
    const grant = async (grants: ReadonlyMap<string, BucketGrant>): Promise<void> => {
      this.#buckets.grant(grants)
      await this.#buckets.fill()
      signal.throwIfAborted()
    }
    this.#keys = new SessionKeys({ context, session, wanted, writer, signal, holder: this, grant })
    this.#sender = new CheckpointSender({ context, sink, signal, device, keys: this.#keys, buckets: this.#buckets })
  }

  start(): void {
    this.#context.dependencies.addUnresolved(this)
    this.wake()
  }

  get isResting(): boolean {
    return this.#phase.kind === 'resting'
  }

  wake(): void {
    // A batch wakes the session once per bucket; all are handled in one pass.
    if (this.#move('woken') !== 'start work') return
    this.#workingSinceMs = Date.now()
    queueMicrotask(() => void this.#work())
  }

  state(): SessionState {
    return {
      phase: this.#phase.kind,
      step: this.#current,
      workingSinceMs: this.#workingSinceMs,
      keys: this.#keys.activity,
      completed: this.#sender.completed,
      isPending: this.#sender.pendingCompletion !== undefined,
      awaitsOwnChanges: this.#writeCheckpoints.pending.length > 0,
      ...this.#buckets.size(),
    }
  }

  get caller(): SqlSession {
    return this.#keys.caller
  }

  bucketIds(): readonly number[] {
    return this.#buckets.ids()
  }

  resync(): void {
    this.#isResyncAsked = true
    this.wake()
  }

  keysChanged(xids: readonly number[]): void {
    this.#keys.transactionsCommitted(xids)
    // What the user may no longer see is not waited for.
    this.#uploads?.hurry()
    this.wake()
  }

  uploaded(): void {
    this.#uploads ??= new UploadPace()
    this.#uploads.uploaded()
  }

  addWriteCheckpoint(checkpoint: WriteCheckpoint): void {
    this.#uploads?.finished()
    this.#writeCheckpoints = afterAsked(this.#writeCheckpoints, checkpoint)
  }

  bucketChanged(bucket: LiveBucket): void {
    this.#buckets.changed(bucket)
    this.wake()
  }

  bucketAppeared(bucket: LiveBucket, grant: BucketGrant): void {
    this.#buckets.appeared(bucket, grant)
  }

  feedReset(): void {
    this.wake()
  }

  #move(event: PhaseEvent): PhaseEffect {
    const { phase, effect } = transition(this.#phase, event)
    this.#phase = phase
    return effect
  }

  async #work(): Promise<void> {
    try {
      do {
        this.#move('pass began')
        do this.#signal.throwIfAborted()
        while (await this.#step().catch((error: unknown) => this.#retryWhenDisconnected(error)))
      } while (this.#move('nothing due') === 'begin another pass')
    } catch (error) {
      if (this.#move('failed') !== 'release everything') return
      this.#keys.release()
      this.#buckets.release()
      this.#onEnd(error)
    }
  }

  #nextStep(active: ActivePlan | undefined): Step {
    const hasKeys = active !== undefined && this.#keys.areValid(active)
    const pending = this.#sender.pendingCompletion
    return nextStep({
      hasReadWriteCheckpoint: this.#writeCheckpoints.isRead,
      hasPlan: active !== undefined,
      hasKeys,
      hasNewClasses: hasKeys && this.#keys.hasNewClasses(),
      isOfEpoch: this.#buckets.isOfEpoch,
      isBatchAnnounced: pending !== undefined && this.#buckets.isBatchAnnounced(pending),
    })
  }

  /** Takes the next due step. @returns whether more may be due */
  async #step(): Promise<boolean> {
    const active = this.#context.plan()
    const step = this.#nextStep(active)
    this.#current = step
    if (step === 'read write checkpoint') {
      const newest = await this.#context.readWriteCheckpoint(this.#writer)
      this.#writeCheckpoints = afterRead(this.#writeCheckpoints, newest)
      return true
    }
    if (active === undefined || step === 'wait for a plan' || step === 'wait for the batch') return false
    if (step === 'refresh keys') await this.#keys.refresh(active)
    else if (step === 'refresh classes') await this.#keys.refreshClasses(active)
    else if (step === 'refill buckets') {
      await this.#buckets.refill()
      this.#signal.throwIfAborted()
    } else {
      await this.#uploads?.due(this.#signal)
      const next = this.#takeCheckpoint()
      if (!next) return false
      await this.#sender.send(next)
    }
    return true
  }

  /** Returns the line that announces the newest checkpoint, and the data that must follow. `undefined` if there is nothing new. */
  #takeCheckpoint(): NextCheckpoint | undefined {
    const { feed } = this.#context
    this.#writeCheckpoints = afterPosition(this.#writeCheckpoints, feed.position)
    // Before its first checkpoint there is nothing to restart yet.
    if (this.#isResyncAsked && this.#told.streams !== undefined) {
      this.#isResyncAsked = false
      this.#buckets.restart()
    }
    const changed = this.#buckets.takeChanged()
    const next = nextCheckpoint(this.#told, {
      opId: feed.opId,
      chosen: this.#keys.chosen,
      streams: this.#keys.streams,
      writeCheckpoint: this.#writeCheckpoints.passed,
      changed,
      removed: this.#buckets.lost(),
      isPending: this.#sender.pendingCompletion !== undefined,
      announced: () => this.#buckets.announced(),
    })
    if (!next) return undefined
    this.#buckets.told()
    this.#told = next.told
    return next.checkpoint
  }

  /** Keeps the stream open while Postgres restarts, and retries. */
  async #retryWhenDisconnected(error: unknown): Promise<true> {
    if (!isConnectionLoss(error) && !isLogReadFailure(error)) throw error
    this.#keys.invalidate()
    await delay(RETRY_MS, this.#signal)
    return true
  }
}
