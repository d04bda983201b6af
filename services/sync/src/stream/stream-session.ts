import { delay } from '@holdfast/foundation'
import type { ControlLine, StreamDescription } from '@holdfast/protocol'
import { authorOf, isConnectionLoss } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { hasNewClasses, withProblem } from '../buckets/evaluate-keys.ts'
import type { EvaluatedWant } from '../buckets/evaluated-keys.ts'
import { sawTransaction } from '../buckets/snapshot.ts'
import type { Expected, ExpectingListener, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import type { WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { RETRY_KEYS_MS } from '../limits.ts'
import { isLogReadFailure } from '../storage/log-reader.ts'
import { expectInstead, NOTHING_EXPECTED, regrant, stillExpected } from './expect-buckets.ts'
import { fitBuckets } from './left-out.ts'
import {
  describeBucket,
  groupByPriority,
  isDescribed,
  isPlainDiff,
  type NextCheckpoint,
  type PriorityGroup,
} from './next-checkpoint.ts'
import { beginAnew, heldBucket, sendOps, type HeldBucket } from './send-ops.ts'
import { createKeyTimer } from './key-timer.ts'
import type { StreamSession, StreamSessionOptions } from './stream-context.ts'
import { chooseStreams, describeStreams, grantBuckets, type ChosenStreams } from './wanted-streams.ts'

const RETRY_MS = 200

/**
 * One device's stream: keys → checkpoint → operations → complete, then silence until something of it changes.
 *
 * A checkpoint at position `c` leaves only with keys that hold at `c`: every transaction up to `c` that could have changed them was seen by the
 * query that computed them, and everything that this query saw is in `c`.
 */
export function createStreamSession(options: StreamSessionOptions): StreamSession {
  // Not the options themselves, which hold what is needed at the beginning only.
  const { context, session, device, sink, signal, wanted, writer, onEnd } = options
  const { feed } = context
  const held = new Map<string, HeldBucket>()
  /** Buckets that the person has besides, of which the device knows nothing: no row has ever been in them. */
  let expected: Expected = NOTHING_EXPECTED
  let { positions } = options
  /** Those that changed since the last checkpoint. */
  let dirty: Set<LiveBucket> | undefined
  /** Buckets that the device still believes to have, until the next checkpoint tells it otherwise. */
  let lost: Map<string, HeldBucket> | undefined
  let plan: ActivePlan | undefined
  let chosen = NOTHING_CHOSEN
  /** What the person has of each of the wants. */
  let evaluated: readonly EvaluatedWant[] = []
  /** Whether some of it goes by access classes, of which more may come to be. */
  let hasClasses = false
  let streams: readonly StreamDescription[] = []
  let sentStreams: readonly StreamDescription[] | undefined
  /** The first priority of the buckets that have changed since the last checkpoint. */
  let urgent = Number.POSITIVE_INFINITY
  let keysStale = true
  /** Transactions that may have changed the keys and that no evaluation is known to have seen. */
  let unseen = NO_TRANSACTIONS
  let writeCheckpoints = NO_WRITE_CHECKPOINTS
  let knowsWriteCheckpoint = false
  /** Buckets of a checkpoint that could not be completed: the next one completes them, even when nothing else is new. */
  let owed: readonly LiveBucket[] | undefined
  let passed: bigint | undefined
  let sentWriteCheckpoint: bigint | undefined
  let sentFirst = false
  let epoch = feed.epoch
  let isRetryPlanned = false
  let hasEnded = false
  let isWorking = false
  /** Something happened while it worked. */
  let isAwake = false

  const timer = createKeyTimer(() => {
    keysStale = true
    wake()
  })

  function touch(bucket: LiveBucket): void {
    dirty ??= new Set()
    dirty.add(bucket)
  }

  function wake(): void {
    isAwake = true
    if (isWorking || hasEnded) return
    isWorking = true
    // A batch wakes for each of its buckets: all of them are looked at in one go.
    queueMicrotask(() => void work())
  }

  async function work(): Promise<void> {
    try {
      do {
        isAwake = false
        do signal.throwIfAborted()
        while (await step().catch(retryWhenDisconnected))
      } while (isAwake)
      isWorking = false
    } catch (error) {
      hasEnded = true
      timer.stop()
      context.dependencies.delete(holder)
      context.leftOuts.forget(holder)
      feed.release(
        [...held.values()].map((entry) => entry.bucket),
        holder,
      )
      feed.expect(holder, expected, NO_GRANTS, NO_GRANTS)
      onEnd(error)
    }
  }

  /** Evaluates until the answer holds at the newest checkpoint, and makes its buckets live. */
  async function refreshKeys(active: ActivePlan): Promise<void> {
    const next = active === plan ? chosen : chooseStreams(active, wanted)
    const wants = next.wants.map(({ want }) => want)
    const keys = await context.keys.keys(wants, session)
    signal.throwIfAborted()
    const [holdsMs] = await Promise.all([context.keyMoments.hold(keys), context.marks.pass(keys.upTo, signal)])
    // With another plan other changes count, and those of the last moments are known only to whoever is unresolved.
    if (context.plan() !== active) return
    const saw = (xid: number): boolean => sawTransaction(keys.snapshot, xid)
    unseen = context.dependencies.lacking(keys.dependencies, keys.pins, unseen, saw)
    keysStale = unseen.length > 0
    if (keysStale) return
    unseen = NO_TRANSACTIONS
    context.dependencies.set(holder, keys.dependencies, keys.pins)
    timer.set(holdsMs)
    chosen = next
    evaluated = keys.wants
    if (keys.wants.some(({ isTimedOut }) => isTimedOut)) retryLater()
    await holdGranted(active)
  }

  /** What took too long may not the next time, and no change of a row would say so. */
  function retryLater(): void {
    if (isRetryPlanned) return
    isRetryPlanned = true
    delay(RETRY_KEYS_MS, signal).then(
      () => {
        isRetryPlanned = false
        keysStale = true
        wake()
      },
      () => undefined, // the stream has ended
    )
  }

  async function holdGranted(active: ActivePlan): Promise<void> {
    const fitted = fitBuckets(active, evaluated, context.bucketsMax)
    const author = authorOf(session)
    context.leftOuts.note(holder, writer, { active, leftOut: fitted.leftOut, evaluated, author })
    const grants = grantBuckets(chosen, fitted.evaluated)
    streams = describeStreams(chosen, fitted.evaluated)
    holdBuckets(grants)
    hasClasses = evaluated.some(({ asked }) => asked !== undefined && asked.size > 0)
    // The names are those of the buckets now, and nobody asks for them again.
    if (!hasClasses) evaluated = NOTHING_EVALUATED
    plan = active
    await fillHeld()
  }

  function askedWants(): Parameters<typeof hasNewClasses>[0] {
    return chosen.wants.map(({ want }, index) => ({ want, asked: evaluated[index]?.asked }))
  }

  /** Asks for access classes that have come to be. What was found before holds as long as the keys do. */
  async function refreshClasses(active: ActivePlan): Promise<void> {
    const found = await context.keys.classes(askedWants(), session)
    signal.throwIfAborted()
    await context.marks.pass(found.upTo, signal)
    if (context.plan() !== active || keysStale) return
    evaluated = evaluated.map((before, index) => {
      const { bucketNames = [], asked, problem: added, failing = [] } = found.wants[index] ?? {}
      const problem = withProblem(before.problem, added)
      const names = [...new Set([...before.bucketNames, ...bucketNames])]
      return {
        ...before,
        asked,
        problem,
        failing: [...new Set([...(before.failing ?? []), ...failing])],
        bucketNames: names,
      }
    })
    if (found.wants.some(({ isTimedOut }) => isTimedOut)) retryLater()
    await holdGranted(active)
  }

  async function fillHeld(): Promise<void> {
    await feed.fill(context.readBuckets, [...held.keys()])
    signal.throwIfAborted()
  }

  function holdBuckets(grants: ReadonlyMap<string, BucketGrant>): void {
    for (const [name, entry] of held) {
      const grant = grants.get(name)
      if (grant) {
        entry.grant = grant
        if (!isDescribed(entry)) touch(entry.bucket)
        continue
      }
      held.delete(name)
      dirty?.delete(entry.bucket)
      feed.release([entry.bucket], holder)
      if (entry.announced) (lost ??= new Map()).set(name, entry)
    }
    const next = regrant({ feed, holder, held, expected }, grants)
    expected = next.expected
    hold(next.gained, grants)
  }

  function hold(gained: readonly string[], grants: ReadonlyMap<string, BucketGrant>): void {
    for (const bucket of feed.hold(gained, holder)) {
      const grant = grants.get(bucket.name)
      if (!grant) continue
      const before = lost?.get(bucket.name)
      // Lost and gained again between two checkpoints: the device has never noticed, and goes on from where it was.
      lost?.delete(bucket.name)
      // Positions of the request hold for the first checkpoint only: it makes the device drop what is not in it.
      const position = sentFirst ? 0 : (positions.get(bucket.name) ?? 0)
      const since = position > 0 ? context.downloads.sinceOf(device, bucket.name, position) : undefined
      held.set(
        bucket.name,
        before ? { ...before, bucket, grant, since: undefined } : heldBucket(bucket, grant, position, since),
      )
      touch(bucket)
    }
  }

  /** After a repair of the log: what is known of the buckets is read again, and all of them are looked at. */
  async function refill(): Promise<void> {
    const next = feed.epoch
    const grants = stillExpected({ held, expected })
    expected = feed.expect(holder, expected, NO_GRANTS, NO_GRANTS)
    hold([...grants.keys()], grants)
    await fillHeld()
    epoch = next
    for (const entry of held.values()) touch(entry.bucket)
  }

  function passWriteCheckpoints(): void {
    if (writeCheckpoints.length === 0) return
    for (const checkpoint of writeCheckpoints) {
      if (checkpoint.lsn <= feed.position && (passed === undefined || checkpoint.id > passed)) passed = checkpoint.id
    }
    const rest = writeCheckpoints.filter((checkpoint) => checkpoint.lsn > feed.position)
    writeCheckpoints = rest.length > 0 ? rest : NO_WRITE_CHECKPOINTS
  }

  /** The line that leads to the newest checkpoint, and what has to follow it. `undefined`: nothing new. */
  function nextCheckpoint(isOwed: boolean): NextCheckpoint | undefined {
    passWriteCheckpoints()
    const buckets: HeldBucket[] = []
    const empty: HeldBucket[] = []
    for (const bucket of dirty ?? []) {
      const entry = held.get(bucket.name)
      if (!entry) continue
      // No row has ever been in it: only a subscription that names it asks for it. What the first checkpoint does not name the device drops.
      if (bucket.id === 0 && !entry.grant.isSubscribed) {
        if (!entry.announced && bucket.isFilled) empty.push(entry)
        continue
      }
      if (entry.announced && isDescribed(entry) && bucket.lastOpId <= entry.upTo) continue
      // The device is ahead of the log, which was restored, or has a bucket that is no more.
      if (entry.upTo > feed.opId || (bucket.id === 0 && entry.position > 0)) beginAnew(entry)
      entry.announced = true
      entry.described = entry.grant
      buckets.push(entry)
    }
    expected = expectInstead({ feed, holder, held, expected }, empty)
    dirty = undefined
    urgent = Number.POSITIVE_INFINITY
    // A diff cannot tell of other streams.
    const isFull = !sentFirst || (streams !== sentStreams && JSON.stringify(streams) !== JSON.stringify(sentStreams))
    const isNews = buckets.length > 0 || (lost !== undefined && lost.size > 0) || passed !== sentWriteCheckpoint
    if (!isFull && !isNews && !isOwed) return undefined
    const gone = [...(lost?.keys() ?? [])]
    lost = undefined
    positions = NO_POSITIONS
    sentWriteCheckpoint = passed
    sentStreams = streams
    sentFirst = true
    const common = {
      last_op_id: String(feed.opId),
      ...(passed === undefined ? {} : { write_checkpoint: String(passed) }),
    }
    const line: ControlLine = isFull
      ? {
          checkpoint: {
            ...common,
            buckets: [...held.values()].filter((entry) => entry.announced).map(describeBucket),
            streams,
          },
        }
      : { checkpoint_diff: { ...common, removed_buckets: gone, updated_buckets: buckets.map(describeBucket) } }
    return { line, groups: groupByPriority(buckets, isFull, chosen), opId: feed.opId }
  }

  /** Whether a batch that supersedes versions in one of these buckets is being written right now: it will wake us. */
  function isAnnounced(buckets: readonly LiveBucket[]): boolean {
    return buckets.some(
      (bucket) => bucket.supersededAt === Number.POSITIVE_INFINITY && held.get(bucket.name)?.bucket === bucket,
    )
  }

  /** Whether what was read from the log for a checkpoint may lack versions that were superseded after it. */
  function hasHoles(fromLog: readonly LiveBucket[], opId: number): boolean {
    return context.plan() !== plan || feed.epoch !== epoch || fromLog.some((bucket) => bucket.supersededAt > opId)
  }

  /** Does what is due next. @returns whether more may be due */
  async function step(): Promise<boolean> {
    if (!knowsWriteCheckpoint) {
      const newest = await context.readWriteCheckpoint(writer)
      if (newest) writeCheckpoints = [...writeCheckpoints, newest]
      knowsWriteCheckpoint = true
    }
    const active = context.plan()
    if (!active) return false
    if (keysStale || active !== plan) {
      await refreshKeys(active)
      return true
    }
    if (hasClasses && hasNewClasses(askedWants(), session)) {
      await refreshClasses(active)
      return true
    }
    if (feed.epoch !== epoch) {
      await refill()
      return true
    }
    const next = owed && isAnnounced(owed) ? undefined : nextCheckpoint(owed !== undefined)
    if (!next) return false
    await sendCheckpoint(next)
    return true
  }

  async function sendCheckpoint({ line, groups, opId }: NextCheckpoint): Promise<void> {
    const [only, ...others] = groups
    const [held, ...more] = only?.buckets ?? []
    if (held && others.length === 0 && more.length === 0 && isPlainDiff(line)) {
      const lines = context.sharedLines.take(sink.format, {
        held,
        opId,
        line,
        id: `${held.grant.text} ${passed ?? ''}`,
      })
      if (lines) {
        owed = undefined
        await sink.lines(lines)
        return
      }
    }
    // Owed until all of it has been sent, also when the log cannot be read for a moment.
    owed = groups.flatMap(({ buckets }) => buckets.map((entry) => entry.bucket))
    await sink.control(line)
    for (const [index, { priority, buckets }] of groups.entries()) {
      const rest = groups.slice(index)
      try {
        const { isWhole, fromLog } = await sendOps(
          context,
          sink,
          buckets,
          opId,
          signal,
          device,
          () => urgent < priority,
        )
        // A newer checkpoint touches these buckets or is about to, or one of more urgent buckets goes first.
        if (!isWhole || hasHoles(fromLog, opId)) {
          owed = rest.flatMap((group) => group.buckets.map((entry) => entry.bucket))
          for (const group of isWhole ? rest.slice(1) : rest) lookAgain(group)
          return
        }
      } catch (error) {
        for (const group of rest) lookAgain(group)
        throw error
      }
      if (index < groups.length - 1)
        await sink.control({ partial_checkpoint_complete: { last_op_id: String(opId), priority } })
    }
    owed = undefined
    await sink.control({ checkpoint_complete: { last_op_id: String(opId) } })
  }

  function lookAgain({ buckets }: PriorityGroup): void {
    for (const entry of buckets) if (held.get(entry.bucket.name) === entry) touch(entry.bucket)
  }

  /** Postgres is being restarted: the stream stays open and tries again. */
  async function retryWhenDisconnected(error: unknown): Promise<true> {
    if (!isConnectionLoss(error) && !isLogReadFailure(error)) throw error
    keysStale = true
    await delay(RETRY_MS, signal)
    return true
  }

  const holder: StreamSession & ExpectingListener = {
    keysChanged(xids) {
      unseen = unseen.length === 0 ? xids : [...unseen, ...xids]
      keysStale = true
      wake()
    },
    addWriteCheckpoint(checkpoint) {
      writeCheckpoints = [...writeCheckpoints, checkpoint]
    },
    get isResting() {
      return !isWorking
    },
    wake,
    bucketChanged(bucket) {
      touch(bucket)
      urgent = Math.min(urgent, held.get(bucket.name)?.grant.priority ?? urgent)
      wake()
    },
    bucketAppeared(bucket, grant) {
      // The device has nothing of it, and was not told of it by a checkpoint before.
      held.set(bucket.name, heldBucket(bucket, grant, 0))
    },
    feedReset: wake,
    start() {
      context.dependencies.addUnresolved(holder)
      wake()
    },
  }
  return holder
}

// Shared by all who have none.
const NOTHING_CHOSEN: ChosenStreams = { wants: [], streams: [], unknown: new Map() }
const NO_GRANTS: ReadonlyMap<string, BucketGrant> = new Map()
const NOTHING_EVALUATED: readonly EvaluatedWant[] = []
const NO_TRANSACTIONS: readonly number[] = []
const NO_WRITE_CHECKPOINTS: readonly WriteCheckpoint[] = []
const NO_POSITIONS: ReadonlyMap<string, number> = new Map()
