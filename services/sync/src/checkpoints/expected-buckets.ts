import type { BucketGrant } from '../buckets/bucket-grant.ts'
import { definitionPart } from '../buckets/bucket-name.ts'
import { copyOf, SharedParts } from './shared-parts.ts'

/**
 * Buckets that a device may have and that are not in the log: no row has ever been in them. Most of what people may have is like that, so it takes one entry
 * for all definitions with the same key values.
 */
export interface Expectation<Listener> {
  readonly listener: Listener
  /** What the names end with. */
  readonly key: string
  /** What they begin with; the same set for everybody with the same ones. Some of these buckets may be live. */
  readonly parts: ReadonlySet<string>
  readonly grant: BucketGrant
}

export interface ExpectedBuckets<Listener> {
  /**
   * In place of what the listener expected before.
   *
   * @param granted - all that it has: those with the same keys are put with them, so that people with the same policies share the set of beginnings,
   *   whichever of the buckets have rows
   */
  replace(
    listener: Listener,
    before: readonly Expectation<Listener>[],
    expected: ReadonlyMap<string, BucketGrant>,
    granted: Iterable<readonly [string, BucketGrant]>,
  ): readonly Expectation<Listener>[]
  /** Who expects a bucket. */
  of(name: string): Iterable<Expectation<Listener>>
  names(): Iterable<string>
  listeners(): Iterable<Listener>
}

/** What a person expects. */
export function expectedNames(expectations: readonly Expectation<unknown>[]): Map<string, BucketGrant> {
  const names = new Map<string, BucketGrant>()
  for (const { key, parts, grant } of expectations) for (const part of parts) names.set(part + key, grant)
  return names
}

const NOTHING: readonly never[] = []

export function createExpectedBuckets<Listener>(): ExpectedBuckets<Listener> {
  /** By key: one, or several. */
  const byKey = new Map<string, Expectation<Listener> | Set<Expectation<Listener>>>()
  const shared = new SharedParts()

  function add(one: Expectation<Listener>): void {
    const others = byKey.get(one.key)
    if (!others) byKey.set(one.key, one)
    else if (others instanceof Set) others.add(one)
    else byKey.set(one.key, new Set([others, one]))
  }

  function remove(one: Expectation<Listener>): void {
    const { key, parts } = one
    const all = byKey.get(key)
    if (all instanceof Set) all.delete(one)
    if (all === one || (all instanceof Set && all.size === 0)) byKey.delete(key)
    shared.release(parts)
  }

  function* all(): Generator<Expectation<Listener>> {
    for (const some of byKey.values()) {
      if (some instanceof Set) yield* some
      else yield some
    }
  }

  return {
    replace(listener, before, expected, granted) {
      const groups = new Map<
        string,
        { readonly key: string; readonly grant: BucketGrant; readonly parts: Set<string> }
      >()
      for (const [name, grant] of expected) {
        const part = definitionPart(name)
        const key = name.slice(part.length)
        const id = `${grant.text} ${key}`
        const group = groups.get(id) ?? { key, grant, parts: new Set() }
        groups.set(id, group)
        group.parts.add(part)
      }
      for (const [name, grant] of groups.size > 0 ? granted : []) {
        const part = definitionPart(name)
        groups.get(`${grant.text} ${name.slice(part.length)}`)?.parts.add(part)
      }
      const after = [...groups.values()].map(({ key, grant, parts }): Expectation<Listener> => ({
        listener,
        key: copyOf(key),
        parts: shared.share(parts),
        grant,
      }))
      for (const one of before) remove(one)
      for (const one of after) add(one)
      return after.length > 0 ? after : NOTHING
    },
    *of(name) {
      if (byKey.size === 0) return
      const part = definitionPart(name)
      const some = byKey.get(name.slice(part.length))
      if (!some) return
      for (const one of some instanceof Set ? some : [some]) if (one.parts.has(part)) yield one
    },
    *names() {
      for (const { key, parts } of all()) for (const part of parts) yield part + key
    },
    *listeners() {
      for (const { listener } of all()) yield listener
    },
  }
}
