import type { ClaimLinks, LinkTerm, TableLink } from '@holdfast/policy'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { isConnectionLoss, quoteIdentifier, quoteName, sql, type Pool } from '@holdfast/postgres'
import { CLASSES_TOGETHER_MAX, INFO_LIFETIME_MS, JUDGED_MS, LINKED_PAIRS_MAX } from '../limits.ts'
import { claimKey, linkedValue } from './claim-index.ts'
import { evaluateConditions } from './evaluate-changes.ts'
import type { RoleClasses, SubscriberClass } from './subscription-index.ts'
import type { TableInfo } from './table-info.ts'

/** A row whose audience is to be determined. */
export interface JudgedRow {
  /** JSON of each column. */
  readonly cells: readonly string[]
  /** Composite literal of the row. */
  readonly literal: string
  /** Text of each column, in table order. */
  readonly values: readonly (string | null)[]
}

/** The classes that a row may concern; `undefined` for all. */
export type Audience = ReadonlySet<SubscriberClass> | undefined

/**
 * Preselects the classes of a role that each row may concern, by the links between rows and claims in the policies. Never omits a class that can see the row;
 * the policies make the final decision.
 *
 * @returns in the order of the rows
 */
export async function findAudiences(
  context: { readonly readerPool: Pool; readonly evaluatorPool: Pool; readonly logger: Logger },
  info: TableInfo,
  role: RoleClasses,
  rows: readonly JudgedRow[],
): Promise<readonly Audience[]> {
  const {
    access: { links },
    byClaim,
    classes,
  } = role
  const everybody = (): readonly Audience[] => rows.map(() => undefined)
  if (!links || !byClaim || performance.now() < role.unlinkedUntilMs) return everybody()
  // A few classes fit into one round trip anyway.
  if (links.tables.length + links.rows.length > 0 && classes.size <= CLASSES_TOGETHER_MAX) return everybody()
  try {
    const [open, linked] = await Promise.all([
      readOpenRows(context.evaluatorPool, info, links, rows),
      Promise.all(links.tables.map((link) => readLinked(context.readerPool, info, link, rows))),
    ])
    const positions = new Map(info.columns.map(({ name }, position) => [name, position]))
    return rows.map((row, index) => {
      if (open[index]) return undefined
      const audience = new Set<SubscriberClass>()
      const add = (key: string, values: Iterable<string>): void => {
        for (const one of byClaim.find(key, values)) audience.add(one)
      }
      for (const one of links.values) add(claimKey(one), [linkedValue(one.value)])
      for (const one of links.columns) add(claimKey(one), valuesOf(row.cells[positions.get(one.column) ?? -1]))
      links.tables.forEach(({ comparison }, number) => add(claimKey(comparison), linked[number]?.get(index) ?? []))
      return audience
    })
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    role.unlinkedUntilMs = performance.now() + INFO_LIFETIME_MS
    context.logger.log('info', 'changes of a table are evaluated for all access classes', {
      table: `${info.schema}.${info.name}`,
      error: errorMessage(error),
    })
    return everybody()
  }
}

/** Returns for each row whether it may concern every user. */
async function readOpenRows(
  pool: Pool,
  info: TableInfo,
  links: ClaimLinks,
  rows: readonly JudgedRow[],
): Promise<readonly boolean[]> {
  if (links.rows.length === 0) return rows.map(() => false)
  const literals = rows.map(({ literal }) => literal)
  return (await evaluateConditions(pool, info, links.rows, literals)).map((hold) => hold.includes(true))
}

function valuesOf(cell: string | undefined): readonly string[] {
  if (cell === undefined) return []
  // Postgres casts booleans to the same text.
  if (cell === 'true' || cell === 'false') return [cell]
  // JSON.parse would lose digits of large numbers.
  if (!cell.includes('"')) return cell.match(/-?\d+/g) ?? []
  const value: unknown = JSON.parse(cell)
  const all = Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]
  return all.filter((one) => typeof one === 'string').map(linkedValue)
}

/** @returns the possible claim values of each row that has any */
async function readLinked(
  pool: Pool,
  info: TableInfo,
  link: TableLink,
  rows: readonly JudgedRow[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const { text, columns } = renderLink(info, link)
  const positions = columns.map((column) => info.columns.findIndex(({ name }) => name === column))
  const values = [rows.map((_, index) => index), ...positions.map((at) => rows.map((row) => row.values[at] ?? null))]
  const found = await pool.transaction(async (tx) => {
    // Fail instead of returning partial results where policies apply to the reader.
    await tx.execute(sql`select pg_catalog.set_config('statement_timeout', ${String(JUDGED_MS)}, true),
      pg_catalog.set_config('row_security', 'off', true), pg_catalog.set_config('search_path', '', true)`)
    return (await tx.client.query<{ row: number; value: string }>(text, values)).rows
  })
  if (found.length > LINKED_PAIRS_MAX) throw new Error('too many users are linked to the rows of a change')
  const linked = new Map<number, string[]>()
  for (const { row, value } of found) {
    const own = linked.get(row) ?? []
    own.push(linkedValue(value))
    linked.set(row, own)
  }
  return linked
}

/**
 * Renders a query for the claims linked to rows through other tables. It ignores the policies of those tables, so it finds a superset of the permitted users.
 * Reads only columns of built-in types, so no project code runs.
 */
function renderLink(info: TableInfo, link: TableLink): { readonly text: string; readonly columns: readonly string[] } {
  const columns = [...new Set(link.equal.flat().flatMap(({ table, column }) => (table === undefined ? [column] : [])))]
  const types = new Map(info.columns.map(({ name, type }) => [name, type]))
  const term = ({ table, column }: LinkTerm): string =>
    table === undefined
      ? `"#row"."c${columns.indexOf(column)}"::pg_catalog.${quoteIdentifier(types.get(column) ?? '')}`
      : `"t${table}".${quoteIdentifier(column)}`
  const { comparison } = link
  const claimed = term(comparison)
  const parameters = ['$1::pg_catalog.int4[]', ...columns.map((_, index) => `$${index + 2}::pg_catalog.text[]`)]
  const tables = link.tables.map(({ schema, name }, index) => `${quoteName(schema, name)} as "t${index}"`)
  const equal = link.equal.map(([left, right]) => `${term(left)} = ${term(right)}`)
  return {
    columns,
    text: `select distinct "#row"."row", ${comparison.isArray ? `pg_catalog.unnest(${claimed})` : claimed}::pg_catalog.text as value
      from unnest(${parameters.join(', ')}) as "#row" ("row"${columns.map((_, index) => `, "c${index}"`).join('')}), ${tables.join(', ')}
     where ${[...equal, `${claimed} is not null`].join(' and ')}
     limit ${LINKED_PAIRS_MAX + 1}`,
  }
}
