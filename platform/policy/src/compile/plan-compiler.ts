import { createPolicyCatalog } from '../catalog/policy-catalog.ts'
import type { PolicyInput } from '../catalog/policy-input.ts'
import { isPartial } from '../read/read-policy-input.ts'
import { answersAlike, recordCatalog, type Lookups } from '../catalog/recorded-catalog.ts'
import type { SyncPlan } from '../plan.ts'
import { assemblePlan, compileContained, tablesToSync, type Outcome } from './compile-sync-plan.ts'
import { readStreamQueries } from './stream-queries.ts'

/** Compilation time slice in ms, after which the event loop runs. */
const SLICE_MS = 8

/** Compiles a database's policies incrementally. */
export interface PlanCompiler {
  /**
   * Returns the same plan as `compileSyncPlan`, reusing unchanged tables and yielding to other work.
   *
   * @throws the reason of `signal` on abort
   */
  compile(input: PolicyInput, signal: AbortSignal): Promise<SyncPlan>
}

interface Compiled {
  readonly lookups: Lookups
  readonly outcome: Outcome
}

/**
 * Records each table's catalog lookups. Compilation is a function of their results, so a table is recompiled only if they change. Tables named by streams are
 * always recompiled.
 */
export function createPlanCompiler(): PlanCompiler {
  let known = new Map<number, Compiled>()
  let knownSettings = ''

  return {
    async compile(input, signal) {
      const plain = createPolicyCatalog(input)
      const recorded = recordCatalog(plain)
      const queries = readStreamQueries(plain)
      const settings = settingsOf(input)
      if (settings !== knownSettings) known.clear()
      const next = new Map<number, Compiled>()
      const outcomes = new Map<number, Outcome>()
      let sliceEnd = performance.now() + SLICE_MS
      for (const table of tablesToSync(input)) {
        if (performance.now() > sliceEnd) {
          await new Promise((resolve) => setImmediate(resolve))
          sliceEnd = performance.now() + SLICE_MS
        }
        signal.throwIfAborted()
        const before = known.get(table.oid)
        const isNamed = queries.byTable.has(table.oid)
        let compiled = before
        if (isNamed || before === undefined || !answersAlike(plain, before.lookups)) {
          recorded.begin()
          recorded.catalog.table(table.schema, table.name)
          compiled = { outcome: compileContained(table, recorded.catalog, queries), lookups: recorded.lookups }
        }
        if (compiled === undefined) continue
        if (!isNamed) next.set(table.oid, compiled)
        outcomes.set(table.oid, compiled.outcome)
      }
      known = next
      knownSettings = settings
      const plan = assemblePlan(plain, queries, outcomes)
      return isPartial(input) ? { ...plan, isPartial: true } : plan
    },
  }
}

/** Input that the compiler reads without a lookup. */
function settingsOf({ apiRoles, schemas, searchPath, serverVersion }: PolicyInput): string {
  return JSON.stringify({ apiRoles, schemas, searchPath, serverVersion })
}
