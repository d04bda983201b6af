import type { Logger } from '@holdfast/foundation'
import { assumeSession, quoteIdentifier, quoteName, sql, type Pool, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { RowEncoder } from '../encode/row-json.ts'
import { createTableRouter, type TableRouter } from '../replicator/table-router.ts'
import { sessionOf, type Person } from './person.ts'

/** A row as Postgres shows it to a person, in the words of devices. */
export interface PersonRow {
  readonly table: string
  readonly id: string
  /** The columns as JSON text. */
  readonly data: string
}

const BATCH_ROWS = 2_000

/** Values print as in the change stream, so that the same encoder reads them. */
const PRINT_SETTINGS: readonly (readonly [string, string])[] = [
  ['datestyle', 'ISO, MDY'],
  ['timezone', 'UTC'],
  ['intervalstyle', 'postgres'],
  ['extra_float_digits', '1'],
  ['bytea_output', 'hex'],
  ['xmlbinary', 'base64'],
]

/** Makes rows of this transaction print as the change stream has them. */
async function printAsStream(tx: Transaction): Promise<void> {
  for (const [name, value] of PRINT_SETTINGS) await tx.execute(sql`select set_config(${name}, ${value}, true)`)
}

/** Runs a query whose values come as Postgres prints them. */
async function queryTexts(tx: Transaction, statement: SqlFragment): Promise<readonly Tuple[]> {
  const { text, values } = statement.render()
  const result = await tx.client.query<(string | null)[]>({
    text,
    values: [...values],
    rowMode: 'array',
    types: { getTypeParser: () => (value: string) => value },
  })
  return result.rows
}

/** One table as a role sees it: what turns its rows into those of devices. */
export interface RoleTable {
  readonly localName: string
  readonly name: SqlFragment
  readonly columns: readonly string[]
  readonly router: TableRouter
  /** Position of a definition of this role in the router. */
  readonly definition: number
}

/** The tables of which a role may see rows. */
export function roleTables(active: ActivePlan, role: string): readonly RoleTable[] {
  return [...active.tables.values()].flatMap(({ table, definitions }): readonly RoleTable[] => {
    const definition = definitions.findIndex((one) => one.definition.roles.includes(role))
    const columns = definitions[definition]?.definition.columns
    if (!columns) return []
    const router = createTableRouter(table, definitions, columns)
    return [
      { localName: table.localName, name: sql.trusted(quoteName(table.schema, table.name)), columns, router, definition },
    ]
  })
}

/**
 * All rows that Postgres shows to a person, as that person, in one snapshot.
 *
 * @param pool - as `authenticator`
 * @returns batches; a table whose selection fails for the person has none, which `failed` tells
 */
export async function* readPersonRows(
  pool: Pool,
  active: ActivePlan,
  person: Person,
  logger: Logger,
): AsyncGenerator<readonly PersonRow[] | { readonly failed: string; readonly reason: string }, void, void> {
  const handed = createHandOver<readonly PersonRow[] | { readonly failed: string; readonly reason: string }>()
  const reading = pool
    .transaction(async (tx) => {
      await tx.execute(sql`set transaction isolation level repeatable read read only`)
      await printAsStream(tx)
      await assumeSession(tx, sessionOf(person))
      for (const table of roleTables(active, person.role)) {
        const cache = new Map<RowEncoder, string>()
        await tx.execute(sql`savepoint one_table`)
        try {
          await tx.execute(
            sql`declare rows_of_person no scroll cursor for select ${sql.trusted(table.columns.map((name) => quoteIdentifier(name)).join(', '))} from ${table.name}`,
          )
          for (;;) {
            const rows = await queryTexts(tx, sql.trusted(`fetch ${BATCH_ROWS} from rows_of_person`))
            if (rows.length === 0) break
            const batch = rows.map((row): PersonRow => {
              cache.clear()
              const { router, definition, localName } = table
              return { table: localName, id: router.objectId(row), data: router.json(definition, row, cache) }
            })
            if (!(await handed.put(batch))) return
          }
          await tx.execute(sql`close rows_of_person`)
          await tx.execute(sql`release savepoint one_table`)
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          logger.log('info', 'a table cannot be selected from as a person', { table: table.localName, reason })
          await tx.execute(sql`rollback to savepoint one_table`)
          if (!(await handed.put({ failed: table.localName, reason }))) return
        }
      }
    })
    .then(
      () => handed.end(),
      (error: unknown) => handed.end(error),
    )
  try {
    yield* handed.taken()
  } finally {
    handed.stop()
    await reading
  }
}

/** Hands items from a writer to a reader, one at a time: the writer waits until the last one was taken. */
function createHandOver<T>() {
  let next = Promise.withResolvers<{ readonly item: T } | undefined>()
  let room = Promise.withResolvers<boolean>()
  let stopped = false
  return {
    /** @returns false when nobody takes any more */
    async put(item: T): Promise<boolean> {
      if (stopped) return false
      next.resolve({ item })
      return room.promise
    },
    end(error?: unknown): void {
      if (error === undefined) next.resolve(undefined)
      else next.reject(error as Error)
    },
    stop(): void {
      stopped = true
      next.promise.catch(() => undefined) // whoever read has gone
      room.resolve(false)
    },
    async *taken(): AsyncGenerator<T, void, void> {
      for (;;) {
        const found = await next.promise
        if (!found) return
        next = Promise.withResolvers()
        const written = room
        room = Promise.withResolvers()
        yield found.item
        written.resolve(!stopped)
      }
    },
  }
}

/**
 * One row of a table by the id that devices know it by.
 *
 * @param db - whoever looks: a person under row-level security, or the superuser
 */
export async function readRowById(
  tx: Transaction,
  table: RoleTable,
  columns: readonly string[],
  id: string,
): Promise<Tuple | undefined> {
  await printAsStream(tx)
  const list = sql.trusted(columns.map((name) => quoteIdentifier(name)).join(', '))
  const [row] = await queryTexts(tx, sql`select ${list} from ${table.name} t where t.id::text = ${id}`)
  return row
}
