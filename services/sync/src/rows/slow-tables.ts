import type { SyncPlan, TablePlan } from '@holdfast/policy'
import { SLOW_SHARE } from '../limits.ts'

/** Records evaluation time per table and the tables given up because it was too long, by oid. */
export class SlowTables {
  /** Time spent and when it was recorded; it decays over time. */
  readonly #spent = new Map<number, { readonly ms: number; readonly at: number }>()
  /** Reason for giving up a table, and its {@link contentOf} then. */
  readonly #givenUp = new Map<number, { readonly reason: string; readonly content: string | undefined }>()
  /** {@link contentOf} the tables of the newest plan. */
  #contents = new Map<number, string>()

  isGivenUp(oid: number): boolean {
    return this.#givenUp.has(oid)
  }

  giveUp(oid: number, reason: string): void {
    this.#givenUp.set(oid, { reason, content: this.#contents.get(oid) })
  }

  /** @returns milliseconds */
  spentBy(oid: number): number {
    const before = this.#spent.get(oid)
    return before ? Math.max(0, before.ms - (performance.now() - before.at) * SLOW_SHARE) : 0
  }

  /** Adds the time since an evaluation became slow. */
  spend(oid: number, slowSince: number): void {
    const ms = this.spentBy(oid) + performance.now() - slowSince
    this.#spent.set(oid, { ms, at: performance.now() })
  }

  /** Moves the tables that were given up to a plan's refused ones, unless their policies or any function have changed since. */
  withoutGivenUp(plan: SyncPlan, functionsVersion: string): SyncPlan {
    this.#contents = new Map(plan.tables.map((table) => [table.oid, contentOf(table, functionsVersion)]))
    for (const [oid, { content }] of this.#givenUp) {
      if (content === this.#contents.get(oid)) continue
      this.#givenUp.delete(oid)
      this.#spent.delete(oid)
    }
    const out = plan.tables.filter(({ oid }) => this.isGivenUp(oid))
    if (out.length === 0) return plan
    return {
      ...plan,
      version: `${plan.version}-${out.map(({ oid }) => oid).join('-')}`,
      tables: plan.tables.filter(({ oid }) => !this.isGivenUp(oid)),
      refused: [
        ...plan.refused,
        ...out.map(({ schema, name, oid, definitions }) => {
          const policy = definitions.find(({ rowFilter }) => rowFilter)?.policies[0]
          return {
            schema,
            name,
            oid,
            ...(policy === undefined ? {} : { policy }),
            reason: this.#givenUp.get(oid)?.reason ?? '',
          }
        }),
      ],
    }
  }
}

/** Returns everything a table's evaluation depends on besides its rows. */
function contentOf({ definitions }: TablePlan, functionsVersion: string): string {
  const expressions = definitions.map(({ rowFilter, keys }) => [rowFilter?.sql, keys.map((key) => key.sql)])
  return `${functionsVersion} ${JSON.stringify(expressions)}`
}
