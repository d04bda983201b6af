import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { definitionPart } from '../buckets/bucket-name.ts'
import { CompactMultimap } from '../buckets/compact-multimap.ts'
import { copyOf, SharedParts } from './shared-parts.ts'

/**
 * Buckets that a device may have but that are not in the log, because no row has ever been in them. Most of users' buckets are like this, so one entry covers
 * all definitions with the same key values.
 */
export interface Expectation<Listener> {
  readonly listener: Listener
  /** Suffixes of the names. */
  readonly key: string
  /** Prefixes, shared by all users with the same ones. Some of these buckets may be live. */
  readonly parts: ReadonlySet<string>
  readonly grant: BucketGrant
}

export interface ExpectedBuckets<Listener> {
  /**
   * Replaces the listener's expectations.
   *
   * @param granted - all its buckets: those with the same keys are added to the entries, so that users with the same policies share sets of prefixes,
   * whichever buckets have rows
   */
  replace(
    listener: Listener,
    before: readonly Expectation<Listener>[],
    expected: ReadonlyMap<string, BucketGrant>,
    granted: Iterable<readonly [string, BucketGrant]>,
  ): readonly Expectation<Listener>[]
  /** Returns the listeners expecting a bucket. */
  of(name: string): Iterable<Expectation<Listener>>
  names(): Iterable<string>
  listeners(): Iterable<Listener>
}

/** Returns the bucket names a user expects. */
export function expectedNames(expectations: readonly Expectation<unknown>[]): Map<string, BucketGrant> {
  const names = new Map<string, BucketGrant>()
  for (const { key, parts, grant } of expectations) for (const part of parts) names.set(part + key, grant)
  return names
}

const NOTHING: readonly never[] = []

interface NameGroup {
  readonly grant: BucketGrant
  readonly partsByKey: Map<string, Set<string>>
}

/** Groups names by grant and key. Many devices connecting at once make thousands of these, so only the two parts of a name are stored. */
function groupNames(
  expected: ReadonlyMap<string, BucketGrant>,
  granted: Iterable<readonly [string, BucketGrant]>,
): Iterable<NameGroup> {
  const groups = new Map<string, NameGroup>()
  for (const [name, grant] of expected) {
    let group = groups.get(grant.text)
    if (!group) groups.set(grant.text, (group = { grant, partsByKey: new Map() }))
    const part = definitionPart(name)
    const key = name.slice(part.length)
    const parts = group.partsByKey.get(key)
    if (parts) parts.add(part)
    else group.partsByKey.set(key, new Set([part]))
  }
  for (const [name, grant] of groups.size > 0 ? granted : NOTHING) {
    const part = definitionPart(name)
    groups.get(grant.text)?.partsByKey.get(name.slice(part.length))?.add(part)
  }
  return groups.values()
}

export function createExpectedBuckets<Listener>(): ExpectedBuckets<Listener> {
  const byKey = new CompactMultimap<Expectation<Listener>>()
  const shared = new SharedParts()

  return {
    replace(listener, before, expected, granted) {
      if (before.length === 0 && expected.size === 0) return NOTHING
      const after: Expectation<Listener>[] = []
      for (const { grant, partsByKey } of groupNames(expected, granted)) {
        for (const [key, parts] of partsByKey) {
          after.push({ listener, key: copyOf(key), parts: shared.share(parts), grant })
        }
      }
      for (const one of before) {
        byKey.delete(one.key, one)
        shared.release(one.parts)
      }
      for (const one of after) byKey.add(one.key, one)
      return after.length > 0 ? after : NOTHING
    },
    *of(name) {
      if (byKey.size === 0) return
      const part = definitionPart(name)
      for (const one of byKey.of(name.slice(part.length))) if (one.parts.has(part)) yield one
    },
    *names() {
      for (const { key, parts } of byKey.all()) for (const part of parts) yield part + key
    },
    *listeners() {
      for (const { listener } of byKey.all()) yield listener
    },
  }
}
