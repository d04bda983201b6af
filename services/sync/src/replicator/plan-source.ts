import { delay } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { sql, type Queryable } from '@holdfast/postgres'
import { parseSnapshot, sawTransaction, type Snapshot } from '../buckets/snapshot.ts'

/** How often to look whether a transaction that the stream has delivered can be seen by queries. */
const VISIBLE_POLL_MS = 5

/** The plan of now, and what its compilation has seen. */
export interface PlanSource {
  readonly plan: SyncPlan
  /**
   * Whether the compilation read a catalog that has all these transactions. A migration of many statements is ahead of the stream: what one compilation has
   * seen needs no other when the stream delivers it.
   */
  saw(xids: readonly number[]): boolean
  /** Compiles again, when queries see these transactions: they are in the write-ahead log a moment before they end for others. */
  compileAfter(xids: readonly number[]): Promise<SyncPlan>
}

export interface PlanSourceOptions {
  readonly db: Queryable
  readonly compile: () => Promise<SyncPlan>
  readonly signal: AbortSignal
}

/** Compiles for the first time. */
export async function openPlanSource({ db, compile, signal }: PlanSourceOptions): Promise<PlanSource> {
  let snapshot = await readSnapshot(db)
  let plan = await compile()
  return {
    get plan() {
      return plan
    },
    saw: (xids) => xids.every((xid) => sawTransaction(snapshot, xid)),
    async compileAfter(xids) {
      for (;;) {
        // Taken before the catalog is read: the compilation may have seen more, and never less.
        const now = await readSnapshot(db)
        if (xids.every((xid) => sawTransaction(now, xid))) {
          plan = await compile()
          snapshot = now
          return plan
        }
        await delay(VISIBLE_POLL_MS, signal)
      }
    },
  }
}

async function readSnapshot(db: Queryable): Promise<Snapshot> {
  const [row] = await db.query<{ snapshot: string }>(sql`select pg_current_snapshot()::text as snapshot`)
  return parseSnapshot(row?.snapshot ?? '')
}
