import { canonicalJson } from '@holdfast/foundation'
import type { StreamDescription, SubscriptionReason, SyncRequest } from '@holdfast/protocol'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { ActivePlan, ActiveStream } from '../buckets/active-plan.ts'
import type { EvaluatedSubscription, StreamSubscription } from '../buckets/evaluated-keys.ts'

/** Streams requested by a device. */
export interface RequestedStreams {
  readonly includeDefaults: boolean
  readonly subscriptions: NonNullable<SyncRequest['streams']>['subscriptions']
}

/** A subscription, or the default, through which a device has a bucket, with its priority. */
interface Reason {
  readonly subscription: SubscriptionReason
  readonly priority: number
}

interface ChosenSubscription {
  readonly subscription: StreamSubscription
  readonly reasons: readonly Reason[]
}

/** The requested streams that exist in the plan. */
export interface ChosenStreams {
  /** Subscriptions with equal parameters are merged. */
  readonly subscriptions: readonly ChosenSubscription[]
  readonly streams: readonly Pick<ActiveStream, 'name' | 'isDefault'>[]
  /** Subscriptions to unknown streams, by index. */
  readonly unknown: ReadonlyMap<number, string>
}

/** The streams of a request that names none. */
export const DEFAULT_STREAMS: RequestedStreams = { includeDefaults: true, subscriptions: [] }

const defaults = new WeakMap<ActivePlan, ChosenStreams>()

/** Resolves a request's streams. Returns the same object for all devices that request {@link DEFAULT_STREAMS}. */
export function chooseStreams(active: ActivePlan, request: RequestedStreams): ChosenStreams {
  if (request !== DEFAULT_STREAMS) return choose(active, request)
  const known = defaults.get(active)
  if (known) return known
  const chosen = choose(active, request)
  defaults.set(active, chosen)
  return chosen
}

function choose(active: ActivePlan, request: RequestedStreams): ChosenStreams {
  const subscriptions = new Map<string, { subscription: StreamSubscription; reasons: Reason[] }>()
  const streams = new Map<string, ActiveStream>()
  const unknown = new Map<number, string>()
  const indexOf = (stream: ActiveStream): number => {
    streams.set(stream.name, stream)
    return [...streams.keys()].indexOf(stream.name)
  }
  const add = (stream: ActiveStream, given: object | null, reason: Reason): void => {
    const parameters = canonicalJson(given ?? {})
    const key = `${stream.name} ${parameters}`
    const known = subscriptions.get(key) ?? { subscription: { stream, parameters }, reasons: [] }
    subscriptions.set(key, known)
    known.reasons.push(reason)
  }
  if (request.includeDefaults) {
    for (const stream of active.streams.values()) {
      if (!stream.isDefault) continue
      add(stream, null, { subscription: { default: indexOf(stream) }, priority: stream.priority })
    }
  }
  request.subscriptions.forEach(({ stream: name, parameters, override_priority: priority }, index) => {
    const stream = active.streams.get(name)
    if (!stream) {
      unknown.set(index, name)
      return
    }
    indexOf(stream)
    add(stream, parameters, { subscription: { sub: index }, priority: priority ?? stream.priority })
  })
  return { subscriptions: [...subscriptions.values()], streams: [...streams.values()], unknown }
}

const descriptions = new WeakMap<ChosenStreams, readonly StreamDescription[]>()

/** Describes the streams for a checkpoint, with the problem of each subscription. */
export function describeStreams(
  chosen: ChosenStreams,
  evaluated: readonly EvaluatedSubscription[],
): readonly StreamDescription[] {
  if (evaluated.some(({ problem }) => problem !== undefined)) return describe(chosen, evaluated)
  const known = descriptions.get(chosen) ?? describe(chosen, evaluated)
  descriptions.set(chosen, known)
  return known
}

function describe(chosen: ChosenStreams, evaluated: readonly EvaluatedSubscription[]): readonly StreamDescription[] {
  const errors = new Map<string, StreamDescription['errors'][number][]>()
  const report = (stream: string, subscription: 'default' | number, message: string): void => {
    errors.set(stream, [...(errors.get(stream) ?? []), { subscription, message }])
  }
  chosen.subscriptions.forEach(({ subscription, reasons }, index) => {
    const problem = evaluated[index]?.problem
    if (problem === undefined) return
    for (const { subscription: reason } of reasons)
      report(subscription.stream.name, 'sub' in reason ? reason.sub : 'default', problem)
  })
  for (const [index, name] of chosen.unknown) report(name, index, `there is no stream "${name}"`)
  const unknown = [...new Set(chosen.unknown.values())].map((name) => ({ name, isDefault: false }))
  return [...chosen.streams, ...unknown].map(({ name, isDefault }) => ({
    name,
    is_default: isDefault,
    errors: errors.get(name) ?? [],
  }))
}

/** Grants by their text, shared by devices with the same choice. */
const grantsOf = new WeakMap<ChosenStreams, Map<string, BucketGrant>>()

/** Returns the device's buckets by name. A bucket of several subscriptions gets their most urgent priority. */
export function grantBuckets(
  chosen: ChosenStreams,
  evaluated: readonly Pick<EvaluatedSubscription, 'bucketNames'>[],
): ReadonlyMap<string, BucketGrant> {
  const grants = new Map<string, BucketGrant>()
  const known = grantsOf.get(chosen) ?? new Map<string, BucketGrant>()
  grantsOf.set(chosen, known)
  const grantOf = (reasons: readonly Reason[]): BucketGrant => {
    const priority = Math.min(...reasons.map((reason) => reason.priority))
    const subscriptions = reasons.map((reason) => reason.subscription)
    const text = JSON.stringify([priority, subscriptions])
    const same = known.get(text)
    if (same) return same
    const isSubscribed = subscriptions.some((subscription) => 'sub' in subscription)
    const grant = { priority, subscriptions, isSubscribed, text }
    known.set(text, grant)
    return grant
  }
  const reasonsOf = new Map<BucketGrant, readonly Reason[]>()
  chosen.subscriptions.forEach(({ reasons }, index) => {
    const own = grantOf(reasons)
    reasonsOf.set(own, reasons)
    const joined = new Map<BucketGrant, BucketGrant>()
    for (const name of evaluated[index]?.bucketNames ?? []) {
      const before = grants.get(name)
      if (!before || before === own) {
        grants.set(name, own)
        continue
      }
      let both = joined.get(before)
      if (!both) {
        const all = [...(reasonsOf.get(before) ?? []), ...reasons]
        joined.set(before, (both = grantOf(all)))
        reasonsOf.set(both, all)
      }
      // A subscription may contain a bucket twice.
      if (before !== both) grants.set(name, both)
    }
  })
  return grants
}
