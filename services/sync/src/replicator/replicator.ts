import { HoldfastError, backoffMs, createPhases, delay, errorMessage } from '@holdfast/foundation'
import { isConnectionLoss } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { FillProgress } from '../fill/fill-turns.ts'
import { keepCompiled } from '../lease/keep-compiled.ts'
import { acquireLease, type Lease } from '../lease/lease.ts'
import { followStream } from './follow-stream.ts'
import { ensurePrerequisites, SyncRefusal, watchPrerequisites } from './setup/prerequisites.ts'
import type { ReaderProgress, ReaderState } from './read/reader-progress.ts'
import type { ReplicatorOptions } from './setup/replicator-options.ts'
import { RunState } from './run-state.ts'

export interface Replicator extends AsyncDisposable {
  /** Resolves when the log holds a complete first state. */
  readonly ready: Promise<void>
  /** Whether devices are being served without known problems. */
  readonly isServing: boolean
  /** Whether another process reads the changes, and this one waits to take over. */
  readonly isStandby: boolean
  /** Why sync needs an operator before it can serve; `undefined` while it runs or repairs itself. */
  readonly refusal: string | undefined
  /** Returns the served plan; `undefined` if there is none or it is being replaced. */
  plan(): ActivePlan | undefined
  /** Returns whether the policies are compiled for all schema changes the reader has passed. If not, starts compiling immediately. */
  isSettled(): boolean
  /** The tables being read for the first time or again. */
  readonly filling: FillProgress | undefined
  /** Why the last attempt failed, while it is being repaired; or which objects are known to be missing. */
  readonly problem: string | undefined
  readonly state: ReaderState
  readonly progress: ReaderProgress
}

/**
 * Backoff between attempts in ms. The maximum is lower while Postgres is unreachable, so that devices are served soon after it returns. An attempt that
 * served for longer than the maximum resets the backoff.
 */
const REPAIR_MS = { min: 50, max: 2_000, whileAwayMax: 250 }

/** Starts reading the change stream, which keeps the log equal to the tables while the process runs. */
export function startReplicator(options: ReplicatorOptions): Replicator {
  const state = new RunState()
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // callers that wait for it see the rejection; there may be none
  const running = run(options, state, stopping.signal, ready)
  return {
    ready: ready.promise,
    get isServing() {
      return state.isServing
    },
    get isStandby() {
      return state.value.phase === 'standing by'
    },
    get refusal() {
      return state.value.phase === 'refused' ? state.value.failure : undefined
    },
    plan: () => state.active,
    isSettled: () => state.parts.isSettled?.() ?? false,
    get filling() {
      return state.parts.filling?.()
    },
    get problem() {
      return state.problem
    },
    get state() {
      return state.value.phase
    },
    progress: state.progress,
    async [Symbol.asyncDispose]() {
      stopping.abort(new HoldfastError('sync_stopped', 503, 'Sync is stopping'))
      await closeStream(options, state)
      await running
    },
  }
}

/** Follows the stream, retrying after each failure. */
async function run(
  options: ReplicatorOptions,
  state: RunState,
  signal: AbortSignal,
  ready: PromiseWithResolvers<void>,
): Promise<void> {
  const { logger } = options
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await follow(options, state, signal, () => ready.resolve())
    } catch (error) {
      if (signal.aborted) break
      const reason = errorMessage(error)
      if (error instanceof SyncRefusal) refuse(options, state, reason)
      else {
        state.dispatch({ kind: 'failed', reason })
        logger.log('warn', 'the change reader is being repaired', {
          code: error instanceof HoldfastError ? error.code : undefined,
          reason,
          cause: errorMessage((error as Error).cause ?? ''),
        })
      }
      if (performance.now() - (state.value.servedSinceMs ?? Infinity) > REPAIR_MS.max) attempt = 0
      const maxMs = isConnectionLoss(error) ? REPAIR_MS.whileAwayMax : REPAIR_MS.max
      await delay(backoffMs(attempt, REPAIR_MS.min, maxMs), signal).catch(() => undefined) // stopping ends the loop
    } finally {
      options.fence.epoch = undefined
      state.dispatch({ kind: 'ended' })
      await closeStream(options, state)
      state.closedStream()
    }
  }
  state.dispatch({ kind: 'stopped' })
  ready.reject(new HoldfastError('sync_stopped', 503, 'Sync was stopped before it was ready'))
}

function refuse({ logger, onRefused }: ReplicatorOptions, state: RunState, reason: string): void {
  const { phase, failure } = state.value
  const isNew = phase !== 'refused' || failure !== reason
  state.dispatch({ kind: 'refused', reason })
  if (!isNew) return
  logger.log('error', 'sync is refused: devices get nothing until this is changed', { reason })
  onRefused(reason)
}

async function follow(
  options: ReplicatorOptions,
  state: RunState,
  signal: AbortSignal,
  onServing: () => void,
): Promise<void> {
  const phases = createPhases()
  await using lease = await lead(options, state, signal)
  await options.onLeading()
  options.fence.epoch = lease.epoch
  phases.end('lease')
  const prerequisites = await ensurePrerequisites(options.pool, options.readerPool, options.logger)
  state.dispatch({ kind: 'started' })
  lease.lost.addEventListener('abort', () => void closeStream(options, state), { once: true })
  const serve = (active: ActivePlan | undefined): void => {
    state.serve(active)
    options.notes.planChanged(active)
    if (!active) return
    options.dependencies.planChanged()
    onServing()
  }
  using watch = watchPrerequisites(options, prerequisites)
  const stop = (): void => {
    state.serve(undefined)
    void closeStream(options, state)
  }
  watch.lost.addEventListener('abort', stop, { once: true })
  try {
    await followStream(options, { signal, lease, phases, prerequisites, state, serve })
  } finally {
    watch.lost.throwIfAborted()
  }
}

/** Waits for the lease, which permits reading the slot and writing the log. */
async function lead(options: ReplicatorOptions, state: RunState, signal: AbortSignal): Promise<Lease> {
  const { url, instance, compile, logger } = options
  await using compiled = keepCompiled({ compile, signal, logger })
  const onCatalogChange = (): void => compiled.changed()
  const onStandbys = (areThere: boolean): void => options.notes.want(areThere)
  return await acquireLease({ url, instance, onCatalogChange, onStandbys, logger }, signal, (holder) => {
    compiled.changed()
    state.dispatch({ kind: 'stood by' })
    logger.log('info', 'another process has the lease of the operation log: this one stands by', { holder })
    options.onStandby()
  })
}

/** Closes the stream. Ignores errors, because a broken stream has already been reported. */
async function closeStream({ logger }: ReplicatorOptions, { parts }: RunState): Promise<void> {
  try {
    await parts.stream?.[Symbol.asyncDispose]()
  } catch (error) {
    logger.log('debug', 'the replication stream could not be closed in order', { reason: errorMessage(error) })
  }
}
