import type { Relation } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { ChunkTracker } from '../fill/chunk-tracker.ts'

/** Whether a table's complete definitions, and those being filled, lack columns. */
interface Missing {
  readonly complete: boolean
  readonly unfilled: boolean
}

/**
 * Knows whether rows of a shape have not all columns that definitions hold: a column was renamed, and has its name again by the time at which policies are
 * compiled. The log's operations for such rows do not hold the whole row. Definitions of which nothing has been read yet get it right later.
 */
export class MissingColumns {
  readonly #active: ActivePlan
  readonly #fill: Pick<ChunkTracker, 'hasBegun'>
  readonly #known = new WeakMap<Relation, Missing>()

  constructor(active: ActivePlan, fill: Pick<ChunkTracker, 'hasBegun'>) {
    this.#active = active
    this.#fill = fill
  }

  of(relation: Relation): boolean {
    let found = this.#known.get(relation)
    if (!found) this.#known.set(relation, (found = this.#find(relation)))
    return found.complete || (found.unfilled && this.#fill.hasBegun(relation.oid))
  }

  #find(relation: Relation): Missing {
    const names = new Set(relation.columns.map((column) => column.name))
    const affected = (this.#active.tables.get(relation.oid)?.definitions ?? []).filter(({ definition }) =>
      [
        ...definition.columns,
        ...(definition.rowFilter?.reads ?? []),
        ...definition.keys.flatMap((key) => key.reads),
      ].some((name) => !names.has(name)),
    )
    return {
      complete: affected.some((one) => !one.isUnfilled),
      unfilled: affected.some((one) => one.isUnfilled),
    }
  }
}
