import { delay } from '@holdfast/foundation'
import { authorOf, type Session } from '@holdfast/postgres'
import type { StreamDescription } from '@holdfast/protocol'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { KeyHolder } from '../buckets/dependency-index.ts'
import { hasNewClasses, withProblem, type AskedSubscription, type EvaluatedClasses } from '../buckets/evaluate-keys.ts'
import type { EvaluatedSubscription } from '../buckets/evaluated-keys.ts'
import { sawTransaction } from '../buckets/snapshot.ts'
import type { Device } from '../checkpoints/write-checkpoints.ts'
import { RETRY_KEYS_MS } from '../limits.ts'
import { afterEvaluation, afterTransactions, invalidate, KeyTimer, STALE, type KeyValidity } from './key-validity.ts'
import { fitBuckets } from './fit-buckets.ts'
import type { KeyActivity } from './session-state.ts'
import type { StreamContext } from './stream-context.ts'
import {
  chooseStreams,
  describeStreams,
  grantBuckets,
  type ChosenStreams,
  type RequestedStreams,
} from './wanted-streams.ts'

export interface SessionKeysOptions {
  readonly context: StreamContext
  readonly session: Session
  readonly wanted: RequestedStreams
  readonly writer: Device
  readonly signal: AbortSignal
  /** Notified of changes that concern the keys. Also identifies the session where sessions are counted. */
  readonly holder: KeyHolder
  /** Gives the session the buckets of its keys. Resolves when their sums are known. */
  readonly grant: (grants: ReadonlyMap<string, BucketGrant>) => Promise<void>
}

/** Tracks which buckets a session's user has, under which plan, and whether that is still valid. */
export class SessionKeys {
  readonly #context: StreamContext
  readonly #session: Session
  readonly #wanted: RequestedStreams
  readonly #writer: Device
  readonly #signal: AbortSignal
  readonly #holder: KeyHolder
  readonly #grant: SessionKeysOptions['grant']
  readonly #timer: KeyTimer
  #validity: KeyValidity = STALE
  #plan: ActivePlan | undefined
  #chosen = NOTHING_CHOSEN
  /** The user's evaluated subscriptions. */
  #evaluated: readonly EvaluatedSubscription[] = NOTHING_EVALUATED
  /** Whether there are access classes, to which more may be added. */
  #hasClasses = false
  #streams: readonly StreamDescription[] = NO_STREAMS
  #isRetryPlanned = false
  #activity: KeyActivity = 'none'

  constructor(options: SessionKeysOptions) {
    this.#context = options.context
    this.#session = options.session
    this.#wanted = options.wanted
    this.#writer = options.writer
    this.#signal = options.signal
    this.#holder = options.holder
    this.#grant = options.grant
    this.#timer = new KeyTimer(() => this.#invalidateAndWake())
  }

  /** The plan that the buckets belong to. */
  get plan(): ActivePlan | undefined {
    return this.#plan
  }
  get chosen(): ChosenStreams {
    return this.#chosen
  }
  /** The streams as described in a checkpoint. */
  get streams(): readonly StreamDescription[] {
    return this.#streams
  }

  get caller(): Session {
    return this.#session
  }

  get activity(): KeyActivity {
    return this.#activity
  }

  /** Returns whether the keys are valid at the newest checkpoint under this plan. */
  areValid(active: ActivePlan): boolean {
    return !this.#validity.isStale && active === this.#plan
  }

  /** Whether there are access classes that have not been evaluated. */
  hasNewClasses(): boolean {
    return this.#hasClasses && hasNewClasses(this.#askedSubscriptions(), this.#session)
  }

  transactionsCommitted(xids: readonly number[]): void {
    this.#validity = afterTransactions(this.#validity, xids)
  }

  invalidate(): void {
    this.#validity = invalidate(this.#validity)
  }

  /** Evaluates the keys and grants their buckets if the result is valid at the newest checkpoint. */
  async refresh(active: ActivePlan): Promise<void> {
    const { keys: evaluator, keyMoments, walBarrier, dependencies } = this.#context
    const next = active === this.#plan ? this.#chosen : chooseStreams(active, this.#wanted)
    const subscriptions = next.subscriptions.map(({ subscription }) => subscription)
    this.#activity = 'evaluating'
    const keys = await evaluator.keys(subscriptions, this.#session)
    this.#signal.throwIfAborted()
    this.#activity = 'waiting for the log'
    const [holdsMs] = await Promise.all([keyMoments.hold(keys), walBarrier.waitFor(keys.upTo, this.#signal)])
    this.#activity = 'none'
    // Another plan has other dependencies, and only unresolved holders know of the latest changes.
    if (this.#context.plan() !== active) return
    const saw = (xid: number): boolean => sawTransaction(keys.snapshot, xid)
    const { unseenTransactions } = this.#validity
    this.#validity = afterEvaluation(
      dependencies.unseenTransactions(keys.dependencies, keys.pins, unseenTransactions, saw),
    )
    if (this.#validity.isStale) return
    dependencies.set(this.#holder, keys.dependencies, keys.pins)
    this.#timer.set(holdsMs)
    this.#chosen = next
    this.#evaluated = keys.subscriptions
    if (keys.subscriptions.some(({ isTimedOut }) => isTimedOut)) this.#retryLater()
    await this.#grantEvaluated(active)
  }

  /** Evaluates new access classes. Earlier results stay valid as long as the keys. */
  async refreshClasses(active: ActivePlan): Promise<void> {
    this.#activity = 'evaluating'
    const found = await this.#context.keys.classes(this.#askedSubscriptions(), this.#session)
    this.#signal.throwIfAborted()
    this.#activity = 'waiting for the log'
    await this.#context.walBarrier.waitFor(found.upTo, this.#signal)
    this.#activity = 'none'
    if (this.#context.plan() !== active || this.#validity.isStale) return
    this.#evaluated = this.#evaluated.map((before, index) => withClasses(before, found.subscriptions[index]))
    if (found.subscriptions.some(({ isTimedOut }) => isTimedOut)) this.#retryLater()
    await this.#grantEvaluated(active)
  }

  /** Stops evaluating keys. */
  release(): void {
    this.#timer.stop()
    this.#context.dependencies.delete(this.#holder)
    this.#context.omittedTables.forget(this.#holder)
  }

  async #grantEvaluated(active: ActivePlan): Promise<void> {
    const { bucketsMax, omittedTables } = this.#context
    const evaluated = withUnread(this.#chosen, this.#evaluated, this.#session.role)
    const fitted = fitBuckets(active, evaluated, bucketsMax)
    const author = authorOf(this.#session)
    omittedTables.note(this.#holder, this.#writer, { active, leftOut: fitted.leftOut, evaluated, author })
    this.#streams = describeStreams(this.#chosen, fitted.evaluated)
    this.#hasClasses = evaluated.some(({ asked }) => asked !== undefined && asked.size > 0)
    // The bucket names have been granted, and nothing reads them again.
    if (!this.#hasClasses) this.#evaluated = NOTHING_EVALUATED
    this.#plan = active
    await this.#grant(grantBuckets(this.#chosen, fitted.evaluated))
  }

  #askedSubscriptions(): readonly AskedSubscription[] {
    return this.#chosen.subscriptions.map(({ subscription }, index) => ({
      subscription,
      asked: this.#evaluated[index]?.asked,
    }))
  }

  /** Retries after a timeout, because no row change would trigger another evaluation. */
  #retryLater(): void {
    if (this.#isRetryPlanned) return
    this.#isRetryPlanned = true
    delay(RETRY_KEYS_MS, this.#signal).then(
      () => {
        this.#isRetryPlanned = false
        this.#invalidateAndWake()
      },
      () => undefined, // the stream has ended
    )
  }

  #invalidateAndWake(): void {
    this.invalidate()
    this.#holder.wake()
  }
}

function withClasses(
  before: EvaluatedSubscription,
  found: EvaluatedClasses['subscriptions'][number] | undefined,
): EvaluatedSubscription {
  const { bucketNames = [], asked, problem, failing = [] } = found ?? {}
  return {
    ...before,
    asked,
    problem: withProblem(before.problem, problem),
    failing: [...new Set([...(before.failing ?? []), ...failing])],
    bucketNames: [...new Set([...before.bucketNames, ...bucketNames])],
  }
}

/** Reports tables whose rows are still being read, so that devices do not consider their data complete. */
function withUnread(
  { subscriptions }: ChosenStreams,
  evaluated: readonly EvaluatedSubscription[],
  role: string,
): readonly EvaluatedSubscription[] {
  if (subscriptions.every(({ subscription: { stream } }) => stream.unread.size === 0)) return evaluated
  return evaluated.map((one, index) => {
    const unread = [...(subscriptions[index]?.subscription.stream.unread.get(role) ?? [])]
    if (unread.length === 0) return one
    const problem = `rows of ${unread.join(', ')} are still being read: they arrive together when that is done`
    return { ...one, unread, problem: withProblem(one.problem, problem) }
  })
}

// Shared by sessions without streams.
const NOTHING_CHOSEN: ChosenStreams = { subscriptions: [], streams: [], unknown: new Map() }
const NOTHING_EVALUATED: readonly EvaluatedSubscription[] = []
const NO_STREAMS: readonly StreamDescription[] = []
