import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { CheckpointFeed, Expected, ExpectingListener } from '../checkpoints/checkpoint-feed.ts'
import { expectedNames } from '../checkpoints/expected-buckets.ts'
import type { HeldBucket } from './send-ops.ts'

export const NOTHING_EXPECTED: Expected = []

/** Dependencies of expecting buckets. */
interface Expecting {
  readonly feed: CheckpointFeed
  readonly holder: ExpectingListener
  readonly held: Map<string, HeldBucket>
  readonly expected: Expected
}

/** Returns the expected buckets that have not been created. */
export function stillExpected({ held, expected }: Pick<Expecting, 'held' | 'expected'>): Map<string, BucketGrant> {
  const names = expectedNames(expected)
  for (const name of held.keys()) names.delete(name)
  return names
}

/** Splits a user's current buckets into those still expected and those to hold because they may be in the log. */
export function regrant(
  { feed, holder, held, expected }: Expecting,
  grants: ReadonlyMap<string, BucketGrant>,
): { readonly expected: Expected; readonly gained: readonly string[] } {
  const before = expectedNames(expected)
  const gained: string[] = []
  const others = new Map<string, BucketGrant>()
  for (const [name, grant] of grants) {
    if (held.has(name)) continue
    // A bucket named by a subscription is announced even without rows.
    if (before.has(name) && !grant.isSubscribed) others.set(name, grant)
    else gained.push(name)
  }
  return { expected: feed.expect(holder, expected, others, grants), gained }
}

/** Releases buckets that have never had a row, and expects them instead. */
export function expectInstead(expecting: Expecting, empty: readonly HeldBucket[]): Expected {
  const { feed, holder, held, expected } = expecting
  if (empty.length === 0) return expected
  const names = stillExpected(expecting)
  for (const { bucket, grant } of empty) {
    held.delete(bucket.name)
    names.set(bucket.name, grant)
  }
  feed.release(
    empty.map(({ bucket }) => bucket),
    holder,
  )
  // Expected buckets are already in their groups.
  return feed.expect(holder, expected, names, grantsOf(held))
}

function* grantsOf(held: ReadonlyMap<string, HeldBucket>): Generator<readonly [string, BucketGrant]> {
  for (const [name, { grant }] of held) yield [name, grant]
}
