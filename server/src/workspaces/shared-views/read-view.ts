import { HoldfastError } from '@holdfast/foundation'
import { type Connections, type Pool, runAs, sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import {
  type Column,
  filterSql,
  orderOf,
  titleOf,
  valueSql,
  type ViewContext,
  type ViewDefinition,
} from './view-sql.ts'

/** Rows of a page. */
export const ROWS_MAX = 100
/** Time in ms for a statement; a visitor waits for it. */
const STATEMENT_MS = 5_000

/** A link that works, as `holdfast.open_view_link` returns it. */
export interface ViewLink {
  readonly name: string
  readonly table: string
  readonly maker: string
  readonly definition: ViewDefinition
  /** ISO 8601. */
  readonly expires: string
  readonly workspace: string
  /** IANA name. */
  readonly zone: string
  readonly language: string
}

export type Cell = string | number | boolean | null | object

export interface ViewPage {
  readonly link: ViewLink
  readonly fields: readonly (ViewDefinition['fields'][number] & { readonly type: string })[]
  readonly rows: readonly (readonly Cell[])[]
  /** Where the next page begins. */
  readonly next: string | undefined
  /** The record that the page follows is gone. */
  readonly isLost: boolean
}

export interface ReadViewNeeds {
  /** Connected as the project. */
  readonly pool: Pool
  /** Connections for statements of users. */
  readonly requests: Connections
  /** The claims of a user's own token; `undefined` if the account is gone. */
  readonly claimsOf: (userId: string) => Promise<Readonly<Record<string, unknown>> | undefined>
}

const SLUG = /^[\w-]{22}$/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/**
 * Reads a page of a shared view, as the user who made the link and read-only.
 *
 * @param after - id of the last record of the page before
 * @throws {HoldfastError} 404 `link_not_found`; 410 `link_ended`, `view_changed`
 */
export async function readView(needs: ReadViewNeeds, slug: string, after: string | undefined): Promise<ViewPage> {
  const link = await openLink(needs.pool, slug)
  const claims = await needs.claimsOf(link.maker)
  if (!claims) throw ended()
  const session = {
    role: 'authenticated',
    claims,
    settings: { transaction_read_only: 'on', statement_timeout: `${STATEMENT_MS}ms` },
  }
  try {
    return await runAs(needs.requests, session, (tx) => readPage(tx, link, after))
  } catch (error) {
    // The maker may no longer read a table or column, or one is gone.
    const { code } = error as { readonly code?: string }
    if (code === '42501' || code === '42P01' || code === '42703') throw changed()
    throw error
  }
}

async function openLink(pool: Pool, slug: string): Promise<ViewLink> {
  const none = new HoldfastError('link_not_found', 404, 'There is no such page.')
  if (!SLUG.test(slug)) throw none
  const [found] = await pool.query<{ link: (ViewLink & { readonly works: boolean }) | null }>(
    sql`select holdfast.open_view_link(${slug}) as link`,
  )
  if (!found?.link) throw none
  if (!found.link.works) throw ended()
  return found.link
}

async function readPage(tx: Transaction, link: ViewLink, after: string | undefined): Promise<ViewPage> {
  const { fields, titles = {}, filter, sort } = link.definition
  const context: ViewContext = {
    columns: await readColumns(tx, link.table),
    zone: link.zone,
    titles: new Map(Object.entries(titles)),
  }
  const shown = fields.map((field) => {
    const column = context.columns.get(field.field)
    if (!column) throw changed()
    return { ...field, column, type: column.target === null ? column.type : 'text' }
  })
  const cells = shown.map(({ column }) => cellSql(column, context))
  const { order, after: follows } = orderOf(sort, context)
  const table = sql.identifier('public', link.table)
  const isFirst = after === undefined || !UUID.test(after)
  const matches = filterSql(filter, context)
  // A record that the page does not show is no place to continue from: the answer would tell where it stands in the order.
  const computed = [...context.columns.values()]
    .filter(({ isComputed }) => isComputed)
    .map((column) => sql`, ${valueSql(column)} as ${sql.identifier(column.name)}`)
  const cursor = isFirst
    ? sql``
    : sql`, (select t.*${sql.join(computed, '')} from ${table} t where t.id = ${after}::uuid and ${matches}) c`
  const where = isFirst ? sql`true` : sql`(${follows})`
  const rows = await tx.query<{ id: string; cells: readonly Cell[] }>(sql`
    select t.id::text as id, jsonb_build_array(${sql.join(cells)}) as cells from ${table} t${cursor}
     where ${where} and ${matches} order by ${order} limit ${ROWS_MAX + 1}`)
  const page = rows.slice(0, ROWS_MAX)
  return {
    link,
    fields: shown.map(({ column: _column, ...field }) => field),
    rows: page.map((row) => row.cells),
    next: rows.length > ROWS_MAX ? page.at(-1)?.id : undefined,
    isLost:
      !isFirst && rows.length === 0 && !(await exists(tx, sql`${table} t where t.id = ${after}::uuid and ${matches}`)),
  }
}

/** Returns a column's value; of a link the title of its record. Ids are never shown. */
function cellSql(column: Column, { titles }: ViewContext): SqlFragment {
  if (column.target === null && column.type === 'uuid') return sql`null::text`
  if (column.target === null) return sql`to_jsonb(${valueSql(column)})`
  const title = titles.get(column.name)
  return title === undefined ? sql`null::text` : titleOf(column, title)
}

async function readColumns(tx: Transaction, table: string): Promise<ReadonlyMap<string, Column>> {
  const columns = await tx.query<Column>(sql`
    select a.attname as name, format_type(a.atttypid, null) as type, n.nspname as schema, c.relname as target, false as "isComputed"
      from pg_attribute a
      left join pg_constraint f on f.conrelid = a.attrelid and f.contype = 'f' and f.conkey = array[a.attnum]
      left join pg_class c on c.oid = f.confrelid
      left join pg_namespace n on n.oid = c.relnamespace
     where a.attrelid = to_regclass(format('public.%I', ${table}::text)) and a.attnum > 0 and not a.attisdropped
    union all
    select f.field_name, format_type(p.prorettype, null), null, null, true
      from holdfast.computed_fields f
      join pg_proc p on p.oid = to_regprocedure(format('public.%I(public.%I)', f.field_name, f.table_name))
     where f.table_name = ${table}`)
  return new Map(columns.map((column) => [column.name, column]))
}

async function exists(tx: Transaction, rows: SqlFragment): Promise<boolean> {
  return (await tx.query(sql`select from ${rows}`)).length > 0
}

function ended(): HoldfastError {
  return new HoldfastError('link_ended', 410, 'This link has expired or was revoked.')
}

function changed(): HoldfastError {
  return new HoldfastError('view_changed', 410, 'This page can no longer be shown. Ask for a new link.')
}
