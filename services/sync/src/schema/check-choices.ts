import { type Connections, lockedRelations, readAroundLocks, sql } from '@holdfast/postgres'
import { choicesOfCheck } from './choices-of-check.ts'

interface CheckRow {
  readonly oid: string
  /** The transaction that wrote the catalog row; changes with every change of the constraint. */
  readonly version: string
  readonly schema: string
  readonly table: string
  readonly column: string
}

/** Returns the choices of a column. */
export type ChoicesOf = (schema: string, table: string, column: string) => readonly string[] | undefined

/**
 * Finds the choices of text columns whose CHECK lists the allowed values. Prints each constraint's expression once, because printing locks the table. A new
 * constraint on a locked table has no choices for now.
 */
export class CheckChoices {
  /** By constraint and version; `undefined` if it lists no choices. */
  #known: ReadonlyMap<string, readonly string[] | undefined> = new Map()

  /** @param tables - by their Postgres names */
  async of(
    pool: Connections,
    tables: readonly { readonly schema: string; readonly name: string }[],
  ): Promise<ChoicesOf> {
    // `conenforced` came with Postgres 18.
    const checks = await pool.query<CheckRow>(sql`
      select k.oid::int8::text as oid, k.xmin::text as version, n.nspname as schema, c.relname as "table", a.attname as column
        from unnest(${tables.map(({ schema }) => schema)}::text[], ${tables.map(({ name }) => name)}::text[])
               as wanted (schema, "table")
        join pg_catalog.pg_namespace n on n.nspname = wanted.schema
        join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = wanted."table"
        join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype = 'c' and cardinality(k.conkey) = 1
                                       and coalesce(to_jsonb(k) ->> 'conenforced', 'true') = 'true'
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
                                      and a.atttypid in ('pg_catalog.text'::regtype, 'pg_catalog.varchar'::regtype)
       order by k.conrelid, k.conname collate "C"`)
    const unknown = checks.filter((check) => !this.#known.has(keyOf(check)))
    const expressions = unknown.length === 0 ? new Map<string, string>() : await printed(pool, unknown)
    const known = new Map<string, readonly string[] | undefined>()
    for (const check of checks) {
      const expression = expressions.get(check.oid)
      if (this.#known.has(keyOf(check))) known.set(keyOf(check), this.#known.get(keyOf(check)))
      else if (expression !== undefined) known.set(keyOf(check), choicesOfCheck(expression))
    }
    this.#known = known
    const byColumn = new Map<string, readonly string[]>()
    for (const check of checks) {
      const choices = known.get(keyOf(check))
      if (!choices) continue
      const column = columnKey(check.schema, check.table, check.column)
      byColumn.set(column, byColumn.get(column)?.filter((choice) => choices.includes(choice)) ?? choices)
    }
    return (schema, table, column) => {
      const choices = byColumn.get(columnKey(schema, table, column))
      return choices?.length === 0 ? undefined : choices
    }
  }
}

function keyOf({ oid, version }: CheckRow): string {
  return `${oid} ${version}`
}

/** Names contain no NUL. */
function columnKey(...names: readonly string[]): string {
  return names.join('\0')
}

/** Returns expressions by constraint, without those of tables that are locked or have been dropped meanwhile. */
async function printed(pool: Connections, checks: readonly CheckRow[]): Promise<ReadonlyMap<string, string>> {
  const oids = checks.map(({ oid }) => oid)
  const rows = await readAroundLocks(
    ({ lockTimeoutMs, isAround }) =>
      pool.transaction(async (tx) => {
        await tx.query(sql`select pg_catalog.set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`)
        const around = isAround ? sql`and k.conrelid not in (${lockedRelations()})` : sql``
        return tx.query<{ oid: string; expression: string | null }>(sql`
          select k.oid::int8::text as oid, pg_catalog.pg_get_expr(k.conbin, k.conrelid) as expression
            from pg_catalog.pg_constraint k where k.oid = any (${oids}::int8[]::oid[]) ${around}`)
      }),
    'fail',
  )
  return new Map(rows.flatMap(({ oid, expression }) => (expression === null ? [] : [[oid, expression] as const])))
}
