import { sql, type SqlFragment } from '@holdfast/postgres'
import { isLongText } from '@holdfast/protocol'

/** A column that may contain long texts. */
interface TextColumn {
  readonly column: string
  /** Base type as printed by `format_type`, with or without a length. */
  readonly type: string
  /** Whether the table compares whole rows, which disables merging. */
  readonly row_guarded: boolean
}

/**
 * Whether versions of a column are merged line by line.
 *
 * @param declared - see {@link declaredMerge}; `null` if nothing was declared for the table, so the column's name decides
 */
export function mergesLines(declared: boolean | null, { column, type, row_guarded }: TextColumn): boolean {
  if (row_guarded) return false
  return declared ?? ((type === 'text' || type.startsWith('character varying')) && isLongText(column))
}

/**
 * Selects whether the column `a` of a table was declared with `sync.merge_lines` or, without a list, `sync.merge_all_texts`. Keys, references, lists of
 * values and columns that a trigger is for are not written freely: merging would make no sense of them.
 *
 * @param table - expression of the table's oid
 */
export function declaredMerge(table: SqlFragment): SqlFragment {
  return sql`
    (select case when g.columns is not null then a.attname = any (g.columns)
                 else a.atttypid in ('text'::regtype, 'varchar'::regtype)
                      and not exists (select from pg_catalog.pg_index i
                                       where i.indrelid = a.attrelid and i.indisunique and a.attnum = any (i.indkey::int2[]))
                      and not exists (select from pg_catalog.pg_constraint c
                                       where c.conrelid = a.attrelid and a.attnum = any (c.conkey)
                                         and (c.contype = 'f' or c.contype = 'c' and pg_catalog.pg_get_constraintdef(c.oid) like '%= ANY%'))
                      and not exists (select from pg_catalog.pg_trigger t
                                       where t.tgrelid = a.attrelid and not t.tgisinternal and a.attnum = any (t.tgattr::int2[]))
            end
       from sync.guards g where g."table" = ${table} and g.scope = 'lines')`
}
