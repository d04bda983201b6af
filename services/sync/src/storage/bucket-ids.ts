import { assert } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'

/** Caches bucket ids by name in front of `sync.buckets`, with bounded memory, and assigns new ids. Only the replicator creates buckets. */
export interface BucketIds {
  /** Loads the ids of uncached names; names without a bucket get a new id. */
  resolve(db: Queryable, names: ReadonlyMap<string, number>): Promise<void>
  /** Returns the id of a name just resolved. */
  id(name: string): number
  /** Returns ids of buckets of these definitions (by number) that are not in the log yet. */
  newOnesOf(definitions: ReadonlySet<number>): number[]
  /** Number of buckets that are not in the log yet. */
  readonly newCount: number
  /**
   * Returns those of these buckets that are not in the log yet, to be inserted with their operations. Drops the other new ones: their first rows came and
   * went within a batch. Call when no operation is pending.
   */
  takeNew(
    used: ReadonlyMap<number, unknown>,
  ): ReadonlyMap<number, { readonly name: string; readonly definition: number }>
  readonly lastId: number
  /** Removes deleted buckets from the cache. */
  forget(names: Iterable<string>): void
  forgetAll(): void
}

/** @param idsMax - maximum cached names, besides those not in the log yet */
export function createBucketIds(lastId: number, idsMax: number): BucketIds {
  let ids = new Map<string, number>()
  let fresh = new Map<number, { name: string; definition: number }>()
  let last = lastId
  return {
    async resolve(db, names) {
      const missing = [...names.keys()].filter((name) => !ids.has(name))
      if (missing.length === 0) return
      // Names that are not in the log yet must stay cached.
      if (ids.size - fresh.size + missing.length > idsMax) {
        const kept = new Map<string, number>()
        for (const { name } of fresh.values()) kept.set(name, ids.get(name) as number)
        for (const name of names.keys()) {
          const id = ids.get(name)
          if (id !== undefined) kept.set(name, id)
        }
        ids = kept
      }
      const rows = await db.query<{ id: number; name: string }>(sql`
        select id, name from sync.buckets where name = any(${missing}::text[])
      `)
      for (const row of rows) ids.set(row.name, row.id)
      for (const name of missing) {
        if (ids.has(name)) continue
        const definition = names.get(name)
        assert(definition !== undefined, 'every name comes with its definition')
        ids.set(name, ++last)
        fresh.set(last, { name, definition })
      }
    },
    id(name) {
      const id = ids.get(name)
      assert(id !== undefined, 'the name was resolved')
      return id
    },
    newOnesOf(definitions) {
      return [...fresh].filter(([, bucket]) => definitions.has(bucket.definition)).map(([id]) => id)
    },
    get newCount() {
      return fresh.size
    },
    takeNew(used) {
      const taken = fresh
      fresh = new Map()
      for (const [id, { name }] of taken) {
        if (used.has(id)) continue
        taken.delete(id)
        ids.delete(name)
      }
      return taken
    },
    get lastId() {
      return last
    },
    forget(names) {
      for (const name of names) ids.delete(name)
    },
    forgetAll() {
      ids = new Map()
      fresh = new Map()
    },
  }
}
