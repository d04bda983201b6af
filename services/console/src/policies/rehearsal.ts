import { errorMessage } from '@holdfast/foundation'
import { compileSyncPlan, readPolicyInput, type SyncPlan } from '@holdfast/policy'
import {
  assumeSession,
  isConnectionLoss,
  sql,
  SQLSTATE,
  sqlstateOf,
  type Session,
  type Transaction,
  withinTransaction,
} from '@holdfast/postgres'
import type { ChangePreview, PreviewedRows, PreviewedTable, PreviewedUser, SqlError } from '@holdfast/protocol'
import {
  CHANGE_LOCK_TIMEOUT_MS,
  PREVIEW_LOCKED_MS,
  PREVIEW_READ_MS,
  PREVIEW_RESERVE_MS,
  PREVIEW_ROWS_MAX,
} from '../limits.ts'
import { compareRows, mustRead, type Side } from './compare-rows.ts'
import { readDeviceRows, summarizeRows, TableReader } from './device-rows.ts'
import { findSyncChange, idOf, isStreamed, renewalOf, type SyncedTable, tablesOfRole } from './synced-tables.ts'
import { findMoved, nameLocked, readLocked, readSequences, readWritten } from './transaction-effects.ts'

export interface RehearsalUser {
  readonly shown: PreviewedUser
  readonly session: Session
}

/** Tables and rows of all users at one point of the preview. */
interface State {
  readonly plan: SyncPlan
  /** By table, for each user. */
  readonly summaries: readonly ReadonlyMap<string, NonNullable<Side['summary']>>[]
}

type RowsOfUsers = readonly ReadonlyMap<string, NonNullable<Side['rows']>>[]

/** One preview, within the transaction that is rolled back. */
export class Rehearsal {
  readonly #tx: Transaction
  readonly #users: readonly RehearsalUser[]
  readonly #schemas: readonly string[]
  readonly #limit: (ms: number) => void
  #endMs = 0
  #searchPath = ''

  /** @param limit - ends the session after a time in ms, instead of any time given before */
  constructor(
    tx: Transaction,
    users: readonly RehearsalUser[],
    schemas: readonly string[],
    limit: (ms: number) => void,
  ) {
    this.#tx = tx
    this.#users = users
    this.#schemas = schemas
    this.#limit = limit
  }

  async run(text: string): Promise<Omit<ChangePreview, 'ms' | 'error'> | { readonly error: SqlError }> {
    const tx = this.#tx
    this.#begin(PREVIEW_READ_MS)
    const [row] = await tx.query<{ path: string }>(sql`select pg_catalog.current_setting('search_path') as path`)
    this.#searchPath = row?.path ?? ''
    await this.#prepare()
    const before = await this.#readState()
    const sequences = await readSequences(tx)
    await tx.execute(sql`savepoint preview`)
    const lockedFrom = performance.now()
    this.#begin(PREVIEW_LOCKED_MS)
    const error = await this.#apply(text)
    if (error) return { error }
    const locked = await readLocked(tx)
    const moved = findMoved(sequences, await readSequences(tx))
    const written = await readWritten(tx)
    const after = await this.#readState()
    const rowsAfter = await this.#readDiffering(before, after, after.plan)
    // Releases the locks of the SQL before the old rows are read.
    await tx.execute(sql`rollback to savepoint preview`)
    const lockedMs = Math.round(performance.now() - lockedFrom)
    this.#begin(PREVIEW_READ_MS)
    const rowsBefore = await this.#readDiffering(before, after, before.plan)
    const named = new Map(
      [...before.plan.tables, ...after.plan.tables, ...written.values()].map((table) => [idOf(table), table]),
    )
    const tables = [...named].map(([id, { schema, name }]): PreviewedTable => {
      const counts = written.get(id)?.counts
      return {
        schema,
        table: name,
        ...findSyncChange(before.plan, after.plan, id),
        ...(isStreamed(after.plan, id) && { isStreamed: true }),
        ...(counts && { written: counts }),
        users: this.#users.map((user, at) => this.#compare(id, user, at, { before, after, rowsBefore, rowsAfter })),
      }
    })
    return {
      lockedMs,
      locks: await nameLocked(tx, locked),
      sequences: moved,
      rowsMax: PREVIEW_ROWS_MAX,
      users: this.#users.map(({ shown }) => shown),
      tables: tables.filter(isShown).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
    }
  }

  #compare(
    id: string,
    { session: { role } }: RehearsalUser,
    at: number,
    {
      before,
      after,
      rowsBefore,
      rowsAfter,
    }: Record<'before' | 'after', State> & Record<`rows${'Before' | 'After'}`, RowsOfUsers>,
  ): PreviewedRows {
    return compareRows(
      { summary: before.summaries[at]?.get(id), rows: rowsBefore[at]?.get(id) },
      { summary: after.summaries[at]?.get(id), rows: rowsAfter[at]?.get(id) },
      renewalOf(tablesOfRole(before.plan, role).get(id), tablesOfRole(after.plan, role).get(id)),
    )
  }

  /** Begins a part of the preview, after whose time the session is ended. */
  #begin(ms: number): void {
    this.#endMs = performance.now() + ms
    this.#limit(ms)
  }

  /** Sets what the SQL may have changed, and the time that is left for each following statement. */
  async #prepare(): Promise<void> {
    const leftMs = Math.max(1, Math.floor(this.#endMs - performance.now()))
    await this.#tx.execute(sql`
      select pg_catalog.set_config('statement_timeout', ${String(leftMs)}, true),
             pg_catalog.set_config('lock_timeout', ${String(CHANGE_LOCK_TIMEOUT_MS)}, true),
             pg_catalog.set_config('search_path', ${this.#searchPath}, true),
             pg_catalog.set_config('row_security', 'on', true)`)
  }

  async #apply(text: string): Promise<SqlError | undefined> {
    try {
      await this.#prepare()
      await this.#tx.client.query(text)
      // Also triggers and checks that wait for the commit.
      await this.#tx.client.query('set constraints all immediate; reset session authorization; reset role')
      await this.#prepare()
      return undefined
    } catch (error) {
      const state = sqlstateOf(error)
      if (state === undefined || state === SQLSTATE.queryCanceled || isConnectionLoss(error)) throw error
      const { code, detail, hint, position } = error as Partial<Record<'code' | 'detail' | 'hint' | 'position', string>>
      return {
        message: errorMessage(error),
        ...(code !== undefined && { code }),
        ...(detail !== undefined && { detail }),
        ...(hint !== undefined && { hint }),
        ...(position !== undefined && { position: Number(position) }),
      }
    }
  }

  async #readState(): Promise<State> {
    const plan = compileSyncPlan(await readPolicyInput(withinTransaction(this.#tx), { schemas: this.#schemas }))
    return { plan, summaries: await this.#asEachUser((role) => tablesOfRole(plan, role), summarizeRows) }
  }

  /** Reads the rows of one plan's tables that differ before and after. */
  #readDiffering(before: State, after: State, plan: SyncPlan): Promise<RowsOfUsers> {
    return this.#asEachUser((role, at) => {
      const [had, has] = [before.summaries[at], after.summaries[at]]
      return new Map([...tablesOfRole(plan, role)].filter(([id]) => mustRead(had?.get(id), has?.get(id))))
    }, readDeviceRows)
  }

  /** Reads tables as each user. @returns results by table, for each user */
  async #asEachUser<T>(
    tablesOf: (role: string, at: number) => ReadonlyMap<string, SyncedTable>,
    read: (reader: TableReader, table: SyncedTable) => Promise<T>,
  ): Promise<readonly ReadonlyMap<string, T>[]> {
    const all: ReadonlyMap<string, T>[] = []
    for (const [at, { session }] of this.#users.entries()) {
      await this.#prepare()
      await this.#tx.execute(sql`savepoint as_user`)
      await assumeSession(this.#tx, session)
      const reader = await TableReader.open(this.#tx, this.#endMs - PREVIEW_RESERVE_MS)
      const found = new Map<string, T>()
      for (const [id, table] of tablesOf(session.role, at)) found.set(id, await read(reader, table))
      all.push(found)
      // Also puts the role back.
      await this.#tx.execute(sql`rollback to savepoint as_user`)
    }
    return all
  }
}

function isShown({ sync, written, users }: PreviewedTable): boolean {
  if (sync === 'begins' || sync === 'stops' || written !== undefined) return true
  return users.some(({ before, after, changes, download, problem, problemBefore }) => {
    if ((problem ?? problemBefore) !== undefined || before !== after) return true
    // Without a change nor a download of as many rows as before, the rows are the same, or too many to compare.
    return changes === undefined || changes.gained + changes.lost + changes.changed > 0 || (download?.rows ?? 0) > 0
  })
}

function nameOf({ schema, table }: PreviewedTable): string {
  return `${schema}.${table}`
}
