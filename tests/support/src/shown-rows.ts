import { assumeSession, sql, type Transaction } from '@holdfast/postgres'
import { BAD_TABLE } from './bad-policies.ts'
import type { RandomPerson } from './random-policies.ts'

interface ShownTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** How a value of a type is written on devices, in SQL. Written without the sync service's encoder, so that the two can disagree. */
function render(column: string, type: string): string {
  if (type === 'boolean') return `${column}::int`
  if (type.endsWith('[]')) return `to_json(${column})::text`
  switch (type) {
    case 'smallint':
    case 'integer':
    case 'bigint':
      return column
    case 'date':
      return `case ${column}::text when 'infinity' then '9999-12-31' else ${column}::text end`
    case 'timestamp with time zone':
      return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    default:
      return `${column}::text`
  }
}

/**
 * What devices of a person should have, but of the table whose policy is bad, by `table/id`, as JSON: asked of Postgres alone, as that person, in the transaction of the superuser `tx`.
 *
 * @param keys - columns of the keys of tables whose key is not `id`
 * @param wanted - which rows of a table the device wants; all by default
 */
export async function shownRows(
  tx: Transaction,
  { role, claims }: RandomPerson,
  {
    keys = {},
    wanted = () => 'true',
  }: {
    readonly keys?: Readonly<Record<string, readonly string[]>>
    readonly wanted?: (table: string) => string
  } = {},
): Promise<ReadonlyMap<string, string>> {
  const tables = await tx.query<ShownTable>(sql`
    select c.relname as name, json_agg(json_build_object('name', a.attname, 'type',
             format_type(case when t.typtype = 'd' then t.typbasetype else t.oid end, null)) order by a.attnum) as columns
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_catalog.pg_type t on t.oid = a.atttypid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relrowsecurity
       and has_column_privilege(${role}, c.oid, a.attnum, 'select')
       and exists (select from pg_catalog.pg_policy p where p.polrelid = c.oid and p.polpermissive)
       and c.relname <> ${BAD_TABLE}
     group by c.relname
  `)
  const parts = tables.map(({ name, columns }) => {
    const key = keys[name] ?? ['id']
    const texts = key.map((column) => `"${column}"::text`)
    const id = key.length === 1 ? texts[0] : `to_json(array[${texts.join(', ')}])::text`
    const isId = key.join() === 'id'
    const fields = columns.map(
      (column) =>
        `'${column.name === 'id' && !isId ? 'id_' : column.name}', ${render(`"${column.name}"`, column.type)}`,
    )
    return `select '${name}/' || ${id} as key, json_build_object(${fields.join(', ')})::text as json from public.${name} where ${wanted(name)}`
  })
  if (parts.length === 0) return new Map()
  // The filter of a device may use columns that its user may not select, so the privilege is granted within the savepoint.
  const asked = tables.filter(({ name }) => !/^(true|false)$/.test(wanted(name)))
  await tx.execute(sql`savepoint look`)
  for (const { name } of asked) await tx.execute(sql.trusted(`grant select on public.${name} to ${role}`))
  await assumeSession(tx, { role, claims })
  const rows = await tx.query<{ key: string; json: string }>(sql.trusted(parts.join('\nunion all ')))
  await tx.execute(sql`reset role`)
  if (asked.length > 0) await tx.execute(sql`rollback to savepoint look`)
  return new Map(rows.map(({ key, json }) => [key, JSON.stringify(JSON.parse(json))]))
}
