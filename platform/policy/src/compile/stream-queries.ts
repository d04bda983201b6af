import type { JoinExpr, Node, SelectStmt } from 'libpg-query'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { PolicyInfo, StreamInfo, TableInfo } from '../catalog/policy-input.ts'
import { Refusal, refuse } from '../refusal.ts'
import { convertType } from '../syntax/convert-type.ts'
import { isSubscriptionFunction } from '../syntax/convert-call.ts'
import { nameParts } from '../syntax/names.ts'
import { isMomentType } from '../syntax/typing.ts'
import { parseViewDefinition } from '../syntax/parse.ts'
import { quoteLiteral } from '@holdfast/postgres'

/** A stream's condition on a table, compiled like a restrictive policy. */
export interface StreamCondition extends PolicyInfo {
  readonly node: Node
  /** The selected table, renamed to its name or alias in the query. */
  readonly row: TableInfo
}

/** A stream's query on one table. */
export interface StreamQuery {
  readonly stream: string
  /** As written. */
  readonly text: string
  /** `undefined` for all rows. */
  readonly condition: StreamCondition | undefined
}

export interface RefusedQuery {
  readonly query: string
  readonly reason: string
}

export interface StreamQueries {
  /** By table OID. */
  readonly byTable: ReadonlyMap<number, readonly StreamQuery[]>
  /** By stream name. */
  readonly refused: ReadonlyMap<string, RefusedQuery[]>
  /** By stream name: SQL that casts a parameter to its type, by parameter name. */
  readonly parameters: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Analyzes the queries of the declared streams. */
export function readStreamQueries(catalog: PolicyCatalog): StreamQueries {
  const byTable = new Map<number, StreamQuery[]>()
  const refused = new Map<string, RefusedQuery[]>()
  const parameters = new Map<string, ReadonlyMap<string, string>>()
  for (const stream of catalog.input.streams) {
    const typed = new Map<string, string>()
    const problems: RefusedQuery[] = []
    for (const query of stream.queries) {
      try {
        const { table, condition } = readQuery(stream, query, catalog)
        byTable.set(table.oid, [
          ...(byTable.get(table.oid) ?? []),
          { stream: stream.name, text: query.text, condition },
        ])
        if (condition) collectParameters(condition.node, typed, catalog)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        problems.push({ query: query.text, reason: error.message })
      }
    }
    refused.set(stream.name, problems)
    parameters.set(stream.name, typed)
  }
  return { byTable, refused, parameters }
}

function readQuery(
  stream: StreamInfo,
  { text, resolved }: StreamInfo['queries'][number],
  catalog: PolicyCatalog,
): { readonly table: TableInfo; readonly condition: StreamCondition | undefined } {
  if ('error' in resolved) return refuse(resolved.error)
  const statement = parseViewDefinition(resolved.text)
  if (!('SelectStmt' in statement)) return refuse('it is not a SELECT')
  const select = statement.SelectStmt
  checkPlain(select)
  const { items, conditions } = openFrom(select.fromClause ?? [])
  const found = findSelected(select, items, catalog)
  const others = items.filter((item) => item !== found.item)
  const parts = [...conditions, ...(select.whereClause ? [select.whereClause] : [])]
  const node = others.length > 0 ? existsIn(others, conjunction(parts)) : conjunction(parts)
  if (!node) return { table: found.table, condition: undefined }
  const condition: StreamCondition = {
    table: found.table.oid,
    name: `stream "${stream.name}"`,
    permissive: false,
    command: 'r',
    roles: [0],
    using: text,
    node,
    row: { ...found.table, name: found.name },
  }
  return { table: found.table, condition }
}

function checkPlain(select: SelectStmt): void {
  if (select.op && select.op !== 'SETOP_NONE')
    refuse('UNION, INTERSECT and EXCEPT are not followed: give the stream several queries')
  if (select.withClause) refuse('WITH is not followed')
  if (select.groupClause || select.havingClause || select.windowClause)
    refuse('a stream selects rows of a table as they are, without GROUP BY')
  if (select.distinctClause) refuse('a stream selects rows of a table as they are, without DISTINCT')
  if (select.limitCount || select.limitOffset) refuse('which rows a LIMIT or OFFSET leaves is not certain')
  if (select.sortClause) refuse('a stream has no order: ORDER BY belongs to the queries on the device')
  if (select.valuesLists || !select.fromClause) refuse('it selects from no table')
}

interface OpenedItems {
  readonly items: readonly Node[]
  readonly conditions: readonly Node[]
}

/** Flattens the inner joins of a `FROM`. */
function openFrom(from: readonly Node[]): OpenedItems {
  const items: Node[] = []
  const conditions: Node[] = []
  const open = (node: Node): void => {
    if (!('JoinExpr' in node)) {
      items.push(node)
      return
    }
    const join: JoinExpr = node.JoinExpr
    if (join.jointype !== 'JOIN_INNER') refuse('outer joins in a stream are not followed')
    if (join.usingClause || join.isNatural || join.alias) refuse('JOIN in a stream is followed with ON only')
    for (const side of [join.larg, join.rarg]) if (side) open(side)
    if (join.quals) conditions.push(join.quals)
  }
  for (const node of from) open(node)
  return { items, conditions }
}

/** Finds the single table selected with all its columns. */
function findSelected(
  select: SelectStmt,
  items: readonly Node[],
  catalog: PolicyCatalog,
): { readonly item: Node; readonly table: TableInfo; readonly name: string } {
  const targets = (select.targetList ?? []).map((target) => {
    const val = 'ResTarget' in target ? target.ResTarget.val : undefined
    const renamed = 'ResTarget' in target ? target.ResTarget.name : undefined
    const parts = val && 'ColumnRef' in val ? nameParts(val.ColumnRef.fields) : []
    return parts.length === 0 || renamed !== undefined ? refuse(WHOLE_ROWS) : parts
  })
  const qualifiers = new Set(targets.map((parts) => (parts.length > 1 ? parts[0] : undefined)))
  const [qualifier] = qualifiers
  if (qualifiers.size !== 1) return refuse(WHOLE_ROWS)
  const item = items.find((one) => 'RangeVar' in one && (qualifier === undefined || rangeName(one) === qualifier))
  if (!item || !('RangeVar' in item) || (qualifier === undefined && items.length > 1)) return refuse(WHOLE_ROWS)
  const { schemaname = '', relname = '' } = item.RangeVar
  const label = `${schemaname}.${relname}`
  if (item.RangeVar.alias?.colnames) refuse('columns of a stream cannot be renamed')
  const table = catalog.table(schemaname, relname) ?? refuse(`${label} is no table of the database`)
  if (!catalog.input.schemas.includes(table.schema)) refuse(`the tables of schema ${table.schema} do not sync`)
  const selected = new Set(targets.map((parts) => parts.at(-1)))
  const missing = table.columns.find((column) => !selected.has(column.name))
  if (missing || selected.size !== targets.length)
    refuse(`${WHOLE_ROWS}${missing ? ` (${missing.name} is missing)` : ''}`)
  return { item, table, name: rangeName(item) }
}

const WHOLE_ROWS = 'a stream selects whole rows of one table: select * from table, or select table.* with joins'

function rangeName(node: Node): string {
  if (!('RangeVar' in node)) return ''
  return node.RangeVar.alias?.aliasname ?? node.RangeVar.relname ?? ''
}

function existsIn(from: readonly Node[], where: Node | undefined): Node {
  const select: SelectStmt = { fromClause: [...from], op: 'SETOP_NONE', limitOption: 'LIMIT_OPTION_DEFAULT' }
  if (where) select.whereClause = where
  return { SubLink: { subLinkType: 'EXISTS_SUBLINK', subselect: { SelectStmt: select } } }
}

function conjunction(parts: readonly Node[]): Node | undefined {
  return parts.length > 1 ? { BoolExpr: { boolop: 'AND_EXPR', args: [...parts] } } : parts[0]
}

/** Collects `(subscription.parameter('name'))::type` from a condition. */
function collectParameters(value: unknown, into: Map<string, string>, catalog: PolicyCatalog): void {
  if (Array.isArray(value)) {
    for (const item of value) collectParameters(item, into, catalog)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'TypeCast') {
      const cast = part as Extract<Node, { TypeCast: unknown }>['TypeCast']
      const read = cast.arg && readParameter(cast.arg)
      if (read && cast.typeName) {
        const { type, sql } = convertType(cast.typeName, catalog)
        const fixed = read.isList ? 'subscription.moments' : 'subscription.moment'
        const text = `${isMomentType(type, catalog) ? fixed : ''}(${read.sql})`
        into.set(read.name, `${text}::${sql}`)
      }
    }
    collectParameters(part, into, catalog)
  }
}

interface ReadParameter {
  readonly name: string
  readonly sql: string
  readonly isList: boolean
}

function readParameter(node: Node): ReadParameter | undefined {
  if (!('FuncCall' in node)) return undefined
  const [schema = '', name = ''] = nameParts(node.FuncCall.funcname)
  const [arg] = node.FuncCall.args ?? []
  const constant = arg && 'TypeCast' in arg ? arg.TypeCast.arg : arg
  if (!isSubscriptionFunction({ schema, name }) || !constant || !('A_Const' in constant)) return undefined
  const parameter = constant.A_Const.sval?.sval
  return parameter === undefined
    ? undefined
    : { name: parameter, sql: `${schema}.${name}(${quoteLiteral(parameter)})`, isList: name === 'elements' }
}
