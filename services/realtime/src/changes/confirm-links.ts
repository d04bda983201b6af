import type { ClaimLinks, TableLink } from '@holdfast/policy'
import { sql, type Queryable } from '@holdfast/postgres'

/**
 * SQL condition on `pg_attribute a`: the column has a built-in type, or an array of one, whose equal values have equal texts, so it can be used for lookups.
 */
export const COMPARABLE = sql`(
  a.attgenerated <> 'v' and a.atttypid = any ('{uuid,text,varchar,int2,int4,int8,bool,uuid[],text[],varchar[],int2[],int4[],int8[]}'::pg_catalog.regtype[])
  and coalesce((select o.collisdeterministic from pg_catalog.pg_collation o where o.oid = a.attcollation), true))`

/**
 * Checks that links between rows and claims can be evaluated by lookup: column types have canonical texts, and the relations are plain tables, whose queries
 * call no functions.
 *
 * @returns `undefined` if a row may concern any user
 */
export async function confirmLinks(
  db: Queryable,
  columns: readonly { readonly name: string; readonly type: string; readonly isComparable: boolean }[],
  links: ClaimLinks | undefined,
): Promise<ClaimLinks | undefined> {
  if (!links) return undefined
  const known = new Map(columns.filter(({ isComparable }) => isComparable).map((column) => [column.name, column]))
  const isKnown = (column: string, isArray: boolean): boolean => known.get(column)?.type.startsWith('_') === isArray
  if (!links.columns.every(({ column, isArray }) => isKnown(column, isArray))) return undefined
  for (const link of links.tables) {
    const ofRow = termsOf(link).filter(({ table }) => table === undefined)
    if (!ofRow.every(({ column }) => isKnown(column, false))) return undefined
    for (const [table, { schema, name }] of link.tables.entries()) {
      const wanted = termsOf(link).filter((term) => term.table === table)
      const [found] = await db.query<{ columns: Record<string, boolean> }>(sql`
        select coalesce((select pg_catalog.jsonb_object_agg(a.attname, t.typcategory = 'A')
                           from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
                          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and ${COMPARABLE}), '{}') as columns
          from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = ${schema} and c.relname = ${name} and c.relkind in ('r', 'p')`)
      if (!found || !wanted.every(({ column, isArray }) => found.columns[column] === isArray)) return undefined
    }
  }
  return links
}

function termsOf({ equal, comparison }: TableLink): readonly {
  readonly table: number | undefined
  readonly column: string
  readonly isArray: boolean
}[] {
  return [...equal.flat().map((term) => ({ ...term, isArray: false })), comparison]
}
