import { assert } from '@holdfast/foundation'
import type { KeyExpression, PlannedColumn, RowExpression, TablePlan } from '@holdfast/policy'
import type { Tuple } from '@holdfast/replication'
import type { ActiveDefinition } from '../buckets/active-plan.ts'
import { bucketName } from '../buckets/bucket-name.ts'
import { compileRecordId } from '../encode/record-id.ts'
import { arrayJson, compileRowEncoder, type RowEncoder } from '../encode/row-json.ts'

const TEXT = 25

/** A row expression that only Postgres can evaluate. */
export interface SqlExpression {
  readonly sql: string
  readonly reads: readonly string[]
  /** `flag`: boolean; `value`: text; `elements`: JSON text of an array of texts; `moment`: seconds since 1970. */
  readonly result: 'flag' | 'value' | 'elements' | 'moment'
}

/** Results of a table's {@link SqlExpression}s for one row, in their order. */
export type Evaluated = readonly (string | null)[]

/** Determines the buckets of a table's rows. */
export interface TableRouter {
  readonly table: TablePlan
  readonly definitions: readonly ActiveDefinition[]
  readonly expressions: readonly SqlExpression[]
  /** Whether a definition has access classes. */
  readonly hasClasses: boolean
  /** Whether a definition reads the clock. */
  readonly hasClock: boolean
  /** @returns the names of the row's buckets in one definition */
  buckets(definition: number, row: Tuple, evaluated: Evaluated): readonly string[]
  /** Returns the buckets that may contain the row at some time; `undefined` if the definition does not read the clock. */
  candidates(definition: number, row: Tuple, evaluated: Evaluated): readonly string[] | undefined
  /** Time of the row's next evaluation, in seconds since 1970. */
  next(definition: number, evaluated: Evaluated): string | null
  /** Returns the values of the table's key. */
  key(row: Tuple): readonly string[]
  /** Returns the row as JSON text for devices with this definition. Definitions with equal columns share it. */
  json(definition: number, row: Tuple, cache?: Map<RowEncoder, string>): string
  /** Whether two versions of a row are equal for devices with this definition. */
  looksEqual(definition: number, old: Tuple, row: Tuple): boolean
  objectId(row: Tuple): string
  /** Returns a row's key values in a definition with access classes. */
  classKey(definition: number, row: Tuple, evaluated: Evaluated): readonly (string | null)[]
}

type Reader = (row: Tuple, evaluated: Evaluated) => string | null

interface RoutedDefinition {
  readonly stored: ActiveDefinition['stored']
  readonly matches: ((row: Tuple, evaluated: Evaluated) => boolean) | undefined
  /** Set when the filter reads the clock. */
  readonly next: ((evaluated: Evaluated) => string | null) | undefined
  readonly keys: readonly { readonly kind: KeyExpression['kind']; readonly read: Reader }[]
  readonly encoder: RowEncoder
  readonly positions: readonly number[]
  /** The bucket of the previous row, for definitions with one plain key, because consecutive rows often share a bucket. */
  last: { readonly key: string; readonly names: readonly string[] } | undefined
}

const NO_BUCKETS: readonly string[] = []

/** @param columnNames - column names in row order */
export function createTableRouter(
  table: TablePlan,
  definitions: readonly ActiveDefinition[],
  columnNames: readonly string[],
): TableRouter {
  const positions = new Map(columnNames.map((name, position) => [name, position]))
  const expressions = new ExpressionReaders(positions)
  const encoderOf = createEncoders(table, positions)
  const routed = definitions.map((active) => routeDefinition(active, positions, expressions, encoderOf))
  const at = (index: number): RoutedDefinition => routed[index] as RoutedDefinition
  const keyPositions = table.key.columns.map((name) => positions.get(name) ?? -1)
  return {
    table,
    definitions,
    expressions: expressions.list,
    hasClasses: definitions.some(({ classes }) => classes !== undefined),
    hasClock: definitions.some(({ definition }) => definition.rowFilter?.next !== undefined),
    buckets(index, row, evaluated) {
      const definition = at(index)
      return definition.matches && !definition.matches(row, evaluated)
        ? NO_BUCKETS
        : bucketsOf(definition, row, evaluated)
    },
    candidates(index, row, evaluated) {
      const definition = at(index)
      return definition.next && bucketsOf(definition, row, evaluated)
    },
    next: (index, evaluated) => at(index).next?.(evaluated) ?? null,
    key: (row) => keyPositions.map((position) => row[position] ?? ''),
    json(index, row, cache) {
      const { encoder } = at(index)
      if (!cache) return encoder(row)
      let json = cache.get(encoder)
      if (json === undefined) cache.set(encoder, (json = encoder(row)))
      return json
    },
    looksEqual: (index, old, row) => at(index).positions.every((position) => old[position] === row[position]),
    objectId: compileObjectId(table, positions),
    classKey: (index, row, evaluated) => at(index).keys.map(({ read }) => read(row, evaluated)),
  }
}

/** Column positions by name. */
type Positions = ReadonlyMap<string, number>

/** Creates readers for columns and expressions of rows, and collects the distinct expressions for Postgres. */
class ExpressionReaders {
  readonly #positions: Positions
  readonly list: SqlExpression[] = []

  constructor(positions: Positions) {
    this.#positions = positions
  }

  reader(expression: RowExpression, result: SqlExpression['result']): Reader {
    if (expression.column !== undefined) {
      const read = this.#columnReader(expression.column)
      if (result !== 'elements') return read
      return (row, evaluated) => {
        const literal = read(row, evaluated)
        return literal === null ? null : arrayJson(literal, TEXT)
      }
    }
    const { sql, reads } = expression
    const known = this.list.findIndex((other) => other.sql === sql && other.result === result)
    const index = known < 0 ? this.list.push({ sql, reads, result }) - 1 : known
    return (_, evaluated) => evaluated[index] ?? null
  }

  #columnReader(name: string): Reader {
    const position = this.#positions.get(name)
    return position === undefined ? () => null : (row) => row[position] ?? null
  }
}

/** @returns a function that returns the row encoder for some of the table's columns, the same one for equal columns */
function createEncoders(table: TablePlan, positions: Positions): (columns: readonly string[]) => RowEncoder {
  const planned = new Map<string, PlannedColumn>(table.columns.map((column) => [column.name, column]))
  const encoders = new Map<string, RowEncoder>()
  return (columns) => {
    const key = columns.join('\0')
    let encoder = encoders.get(key)
    if (!encoder) {
      const present = columns.flatMap((name) => {
        const column = planned.get(name)
        const position = positions.get(name)
        return column && position !== undefined ? [{ column, position }] : []
      })
      encoders.set(key, (encoder = compileRowEncoder(present)))
    }
    return encoder
  }
}

function routeDefinition(
  { definition, stored }: ActiveDefinition,
  positions: Positions,
  expressions: ExpressionReaders,
  encoderOf: (columns: readonly string[]) => RowEncoder,
): RoutedDefinition {
  const { rowFilter } = definition
  const filter = rowFilter && expressions.reader(rowFilter, 'flag')
  const next =
    rowFilter?.next === undefined
      ? undefined
      : expressions.reader({ ...rowFilter, sql: rowFilter.next, column: undefined }, 'moment')
  return {
    stored,
    matches: filter && ((row, evaluated) => filter(row, evaluated) === 't'),
    next: next && ((evaluated) => next([], evaluated)),
    keys: definition.keys.map((key) => ({
      kind: key.kind,
      read: expressions.reader(key, key.kind === 'elements' ? 'elements' : 'value'),
    })),
    encoder: encoderOf(definition.columns),
    positions: definition.columns.map((name) => positions.get(name) ?? -1),
    last: undefined,
  }
}

function compileObjectId(table: TablePlan, positions: Positions): (row: Tuple) => string {
  return compileRecordId(
    table.key.columns.map((name) => {
      const column = table.columns.find((one) => one.name === name)
      assert(column, 'the key is of columns of the table')
      return { column, position: positions.get(name) ?? -1 }
    }),
  )
}

/** Returns the buckets of a row that passes the filter. */
function bucketsOf(definition: RoutedDefinition, row: Tuple, evaluated: Evaluated): readonly string[] {
  const { keys, stored } = definition
  const [only] = keys
  if (only?.kind === 'value' && keys.length === 1) {
    const key = only.read(row, evaluated)
    if (key === null) return NO_BUCKETS
    if (definition.last?.key !== key) definition.last = { key, names: [bucketName(stored, [key])] }
    return definition.last.names
  }
  let combinations: (string | null)[][] = [[]]
  for (const { kind, read } of keys) {
    const value = read(row, evaluated)
    if (value === null && kind !== 'class') return NO_BUCKETS
    if (kind === 'value' || kind === 'class' || value === null) {
      for (const combination of combinations) combination.push(value)
    } else {
      const elements = [...new Set((JSON.parse(value) as unknown[]).flat(8))].filter(
        (element) => typeof element === 'string',
      )
      combinations = combinations.flatMap((combination) => elements.map((element) => [...combination, element]))
    }
  }
  return combinations.map((combination) => bucketName(stored, combination))
}
