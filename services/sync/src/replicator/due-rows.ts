import { randomBytes } from 'node:crypto'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { TablePlan } from '@holdfast/policy'
import { sql, type Pool } from '@holdfast/postgres'
import type { Relation, Tuple } from '@holdfast/replication'
import type { ActiveDefinition, ActivePlan } from '../buckets/active-plan.ts'
import { rowKey } from '../encode/op-doc.ts'
import { DUE_ROWS_MAX, DUE_ROWS_POLL_MS } from '../limits.ts'
import { readDueRows, type DueRow } from '../storage/moments.ts'
import { createRouters, dueChange, type RowChange, type Routers } from '../rows/apply-changes.ts'
import { ALWAYS, orAborted, relationOf } from '../fill/background-fill.ts'
import { readByKeys } from '../fill/read-chunk.ts'
import { createRecentTransactions } from '../rows/recent-transactions.ts'

/** Prefix of the messages between which rows are read whose moment has come. */
export const DUE_PREFIX = 'holdfast:due'

/** Rows that are to be evaluated again at this place of the stream. */
export interface DueChanges {
  readonly changes: readonly RowChange[]
  readonly routers: Routers
  /** Those that are not there any more. */
  readonly gone: readonly DueRow[]
}

/**
 * Evaluates rows again whose policies compare them with the clock, when their moment has come: see `sync.moments`.
 *
 * Some rows at a time are read between two messages in the write-ahead log, as in a fill. A row that changes between them is evaluated with its change; all
 * others are, at the second message, as they were read. Their operations and next moments are written together, so whatever ends in between is done again.
 */
export interface DueRows extends AsyncDisposable {
  /** Begins with another plan what was under way. */
  use(active: ActivePlan): void
  /** A transaction has committed in the stream. */
  committed(xid: number): void
  /** A row was changed. */
  touched(relation: Relation, old: Tuple | undefined, row: Tuple | undefined): void
  truncated(oids: readonly number[]): void
  /** A message of this kind was in a transaction that has committed. @returns what belongs into the log here */
  message(content: string): DueChanges | undefined
  /** Everything up to here is in the log. */
  durable(): void
}

/** Some rows of one table, between the first and the last message. */
interface Window {
  readonly name: string
  readonly table: TablePlan
  readonly routers: Routers
  readonly due: readonly DueRow[]
  readonly opened: PromiseWithResolvers<void>
  readonly applied: PromiseWithResolvers<void>
  readonly touched: Set<string>
  isOpen: boolean
  isTaken: boolean
  rows: readonly Tuple[]
  /** All rows that are there were read. */
  isWhole: boolean
}

interface ClockedTable {
  readonly table: TablePlan
  readonly definitions: readonly ActiveDefinition[]
}

export function startDueRows(options: {
  readonly pool: Pool
  /** Connects as `holdfast_reader`, for reading rows past their policies. */
  readonly url: string
  readonly active: ActivePlan
  readonly logger: Logger
}): DueRows {
  const { pool, logger } = options
  const run = randomBytes(4).toString('hex')
  const recent = createRecentTransactions(pool)
  const stopping = new AbortController()
  let abandoning = new AbortController()
  let active = options.active
  let tables = clockedTables(active)
  let window: Window | undefined
  let windows = 0

  async function emit(content: string): Promise<void> {
    // Flushed with its commit, also where other commits are not: the stream does not show what is not on disk.
    await pool.query(
      sql`select set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, ${DUE_PREFIX}, ${content})`,
    )
  }

  /** @returns whether there may be more */
  async function evaluateSome(signal: AbortSignal): Promise<boolean> {
    const numbers = [...tables.keys()]
    const due = numbers.length === 0 ? [] : await readDueRows(pool, numbers, DUE_ROWS_MAX)
    const first = due[0] && tables.get(due[0].definition)
    if (!first) return false
    const { table, definitions } = first
    const plan = { ...active, tables: new Map([[table.oid, { table, definitions }]]) }
    const current: Window = {
      name: `${run}/${++windows}`,
      table,
      routers: createRouters(plan),
      due: due.filter(({ definition }) => tables.get(definition)?.table.oid === table.oid),
      opened: Promise.withResolvers(),
      applied: Promise.withResolvers(),
      touched: new Set(),
      isOpen: false,
      isTaken: false,
      rows: [],
      isWhole: true,
    }
    window = current
    try {
      await emit(`${current.name}/from`)
      await orAborted(current.opened.promise, signal)
      // What the stream had before the first message was not noted: it has to be in what is read.
      await recent.untilVisible(signal)
      const keys = new Map(current.due.map((row) => [JSON.stringify(row.key), row.key]))
      const { rows, isWhole } = await readByKeys({ ...options, signal }, table, [...keys.values()])
      current.rows = rows
      current.isWhole = isWhole
      signal.throwIfAborted()
      await emit(`${current.name}/to`)
      await orAborted(current.applied.promise, signal)
      return true
    } finally {
      if (window === current) window = undefined
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      let isMore = false
      const signal = AbortSignal.any([stopping.signal, abandoning.signal])
      try {
        isMore = await evaluateSome(signal)
      } catch (error) {
        // A lost connection, or a change of the schema that the stream will tell of.
        if (!signal.aborted)
          logger.log('debug', 'rows whose moment has come are read again', { reason: errorMessage(error) })
      }
      if (!isMore) await delay(DUE_ROWS_POLL_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
    }
  }

  function objectIdOf({ routers, table }: Window, row: Tuple): string | undefined {
    return routers(relationOf(table))?.router.objectId(row)
  }

  const looping = loop()
  return {
    use(next) {
      active = next
      tables = clockedTables(next)
      window = undefined
      abandoning.abort(new Error('the plan has changed'))
      abandoning = new AbortController()
    },
    committed: (xid) => recent.committed(xid),
    touched(relation, old, row) {
      if (!window?.isOpen || relation.oid !== window.table.oid) return
      const router = window.routers(relation)?.router
      if (!router) return
      for (const tuple of [old, row]) if (tuple) window.touched.add(router.objectId(tuple))
    },
    truncated(oids) {
      if (!window || !oids.includes(window.table.oid)) return
      window.rows = []
      window.isOpen = false
      abandoning.abort(new Error('the table was truncated'))
      abandoning = new AbortController()
      window = undefined
    },
    message(content) {
      if (!window || !content.startsWith(`${window.name}/`)) return undefined
      if (content.endsWith('/from')) {
        window.isOpen = true
        window.opened.resolve()
        return undefined
      }
      const current = window
      current.isOpen = false
      current.isTaken = true
      const relation = relationOf(current.table)
      const left = new Set([...current.touched].map((id) => rowKey(id).toString('hex')))
      const changes: RowChange[] = []
      for (const row of current.rows) {
        const id = objectIdOf(current, row)
        if (id === undefined || current.touched.has(id)) continue
        left.add(rowKey(id).toString('hex'))
        changes.push(dueChange(relation, row, ALWAYS))
      }
      const gone = current.isWhole ? current.due.filter((row) => !left.has(row.rowKey.toString('hex'))) : []
      return { changes, routers: current.routers, gone }
    },
    durable() {
      if (window?.isTaken) window.applied.resolve()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('the change reader has ended'))
      await looping
    },
  }
}

/** Definitions that read the clock, by number, each with all of its table. */
function clockedTables(active: ActivePlan): ReadonlyMap<number, ClockedTable> {
  const found = new Map<number, ClockedTable>()
  for (const { table, definitions } of active.tables.values()) {
    const clocked = definitions.filter(({ definition }) => definition.rowFilter?.next !== undefined)
    for (const { stored } of clocked) found.set(stored.number, { table, definitions: clocked })
  }
  return found
}
