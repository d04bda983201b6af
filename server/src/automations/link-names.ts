import { type ModelColumn, placeholdersOf, titleColumnOf } from '@holdfast/protocol'
import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'

/** A field that leads to a record, and where its name stands. */
interface Link {
  readonly field: string
  readonly schema: string
  readonly table: string
  readonly key: string
  readonly columns: readonly ModelColumn[]
}

/**
 * Reads the names of the records that a record links to, as far as the user of the transaction sees them.
 *
 * @param texts - only links that these texts name are read
 * @returns names by field; a link without a visible name is absent
 */
export async function readLinkNames(
  tx: Transaction,
  table: string,
  record: Readonly<Record<string, string | null>>,
  texts: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const named = [...new Set(texts.flatMap(placeholdersOf))].filter((field) => record[field] != null)
  if (named.length === 0) return {}
  const links = await tx.query<Link>(sql`
    select a.attname as field, n.nspname as schema, r.relname as "table", k.attname as key,
           (select json_agg(json_build_object('name', t.attname, 'type', format_type(t.atttypid, t.atttypmod)) order by t.attnum)
              from pg_attribute t where t.attrelid = r.oid and t.attnum > 0 and not t.attisdropped) as columns
      from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      join pg_class r on r.oid = c.confrelid
      join pg_namespace n on n.oid = r.relnamespace
      join pg_attribute k on k.attrelid = r.oid and k.attnum = c.confkey[1]
     where c.contype = 'f' and cardinality(c.conkey) = 1 and c.conrelid = ${publicTable(table)} and a.attname = any (${named}::name[])
       and has_table_privilege(r.oid, 'select')`)
  const names: Record<string, string> = {}
  for (const { field, schema, table: target, key, columns } of links) {
    const title = titleColumnOf(columns)
    if (title === undefined) continue
    const [found] = await tx.query<{ name: string | null }>(sql`
      select nullif(btrim(t.${sql.identifier(title)}::text), '') as name
        from ${sql.identifier(schema, target)} t where t.${sql.identifier(key)}::text = ${record[field]}`)
    if (found?.name != null) names[field] = found.name
  }
  return names
}

/** Reads the fields of a table that hold ids. */
export async function readIdFields(tx: Transaction, table: string): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.attname as name from pg_attribute a
     where a.attrelid = ${publicTable(table)} and a.attnum > 0 and not a.attisdropped and a.atttypid = 'uuid'::regtype`)
  return new Set(rows.map(({ name }) => name))
}

function publicTable(name: string): SqlFragment {
  return sql`to_regclass(format('public.%I', ${name}::text))`
}
