import type { Relation } from '@holdfast/replication'
import type { ActivePlan } from '../../buckets/active-plan.ts'
import type { ChunkTracker } from '../../fill/chunk-tracker.ts'

/** Whether columns are missing for a table's complete definitions, and for its unfilled ones. */
interface Missing {
  readonly complete: boolean
  readonly unfilled: boolean
}

/**
 * Detects row shapes without a column that definitions need. This happens if a column was renamed and has its name back when policies are compiled. Operations
 * for such rows lack that column. Definitions whose fill has not begun are not affected, because the fill reads the rows later.
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
