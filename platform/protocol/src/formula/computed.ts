import { quoteName } from '../local-names.ts'
import { parseJson } from '../plain-values.ts'
import type { ColumnDescriptor, TableDescriptor } from '../schema-descriptor.ts'
import { formulaTypeOf, readColumnSql } from './columns.ts'
import {
  type Formula,
  FORMULA_DEPTH_MAX,
  FORMULA_NODES_MAX,
  FormulaError,
  formulaSize,
  type FormulaType,
  readFormula,
} from './formula.ts'
import { compileSqlite, scaled, type SqlExpression } from './sqlite.ts'

export const ROLLUP_FUNCTIONS = ['count', 'sum', 'average', 'min', 'max'] as const
export type RollupFunction = (typeof ROLLUP_FUNCTIONS)[number]

/** What a computed field is made of, as stored in `holdfast.computed_fields`. Names are those in Postgres. */
export type ComputedDefinition =
  | { readonly kind: 'formula'; readonly formula: Formula }
  | { readonly kind: 'lookup'; readonly link: string; readonly field: string }
  | {
      readonly kind: 'rollup'
      readonly table: string
      readonly link: string
      readonly function: RollupFunction
      /** Of the other table; none for `count`. */
      readonly field?: string
      /** Which of its records count. */
      readonly only?: Formula
    }

/** A computed field of a table in `public`. */
export interface ComputedField {
  readonly table: string
  readonly name: string
  readonly label: string
  readonly result: FormulaType
  readonly definition: ComputedDefinition
}

/** What computing on the device needs. */
export interface ComputedContext {
  readonly tables: readonly TableDescriptor[]
  readonly fields: readonly ComputedField[]
  /** The workspace's current day, `YYYY-MM-DD`. */
  readonly today: string
  readonly now: Date
}

/** Reads a stored definition. @returns `undefined` if it has another form, as that of a newer version */
export function readComputedDefinition(json: string): ComputedDefinition | undefined {
  const value = parseJson(json)
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined
  const named = (key: string): string | undefined => {
    const found = (value as Readonly<Record<string, unknown>>)[key]
    return typeof found === 'string' ? found : undefined
  }
  if (value.kind === 'formula') {
    const formula = 'formula' in value ? readFormula(value.formula) : undefined
    return formula && { kind: 'formula', formula }
  }
  const [link, field, table] = [named('link'), named('field'), named('table')]
  if (value.kind === 'lookup') return link && field ? { kind: 'lookup', link, field } : undefined
  const calculation = ROLLUP_FUNCTIONS.find((one) => one === named('function'))
  if (value.kind !== 'rollup' || !link || !table || !calculation || (calculation !== 'count' && !field))
    return undefined
  const only = 'only' in value ? readFormula(value.only) : undefined
  if ('only' in value && !only) return undefined
  return { kind: 'rollup', table, link, function: calculation, ...(field && { field }), ...(only && { only }) }
}

/** Local tables that a computed field reads beside its own. */
export function tablesOfComputed(
  field: ComputedField,
  context: Omit<ComputedContext, 'today' | 'now'>,
): readonly string[] {
  const compiler = new ComputedCompiler({ ...context, today: '0001-01-01', now: new Date(0) })
  compiler.compile(field, 't')
  return [...compiler.tables]
}

/**
 * Returns SQLite for the values of a computed field in rows of its local table named `alias`, as its function in Postgres yields them. Throws a
 * `FormulaError` if that is not possible here, as when a table is not on the device.
 */
export function computedSql(field: ComputedField, alias: string, context: ComputedContext): SqlExpression {
  return new ComputedCompiler(context).compile(field, alias)
}

class ComputedCompiler {
  /** Local names of the other tables that were read. */
  readonly tables = new Set<string>()
  readonly #context: ComputedContext
  readonly #open = new Set<ComputedField>()
  #size = 0
  #aliases = 0

  constructor(context: ComputedContext) {
    this.#context = context
  }

  compile(field: ComputedField, alias: string): SqlExpression {
    if (this.#open.has(field)) throw unreadable(field.name)
    const table = this.#table('public', field.table)
    this.#open.add(field)
    const { definition } = field
    this.#grow(definition.kind === 'formula' ? formulaSize(definition.formula) : 4)
    const compiled =
      definition.kind === 'formula'
        ? this.#formula(definition.formula, table, alias)
        : definition.kind === 'lookup'
          ? this.#lookup(definition, table, alias)
          : this.#rollup(definition, table, alias)
    this.#open.delete(field)
    return compiled
  }

  #grow(parts: number): void {
    this.#size += parts
    if (this.#size > FORMULA_NODES_MAX) throw new FormulaError({ code: 'too_large', most: FORMULA_NODES_MAX }, 0, 0)
    if (this.#open.size > FORMULA_DEPTH_MAX) throw new FormulaError({ code: 'too_deep', most: FORMULA_DEPTH_MAX }, 0, 0)
  }

  #formula(formula: Formula, table: TableDescriptor, alias: string): SqlExpression {
    const { today, now } = this.#context
    return compileSqlite(formula, { column: (name) => this.#field(table, name, alias), today, now })
  }

  /** A column, or another computed field. */
  #field(table: TableDescriptor, name: string, alias: string): SqlExpression | undefined {
    const computed = this.#context.fields.find(
      (one) => table.schema === 'public' && one.table === table.table && one.name === name,
    )
    if (computed) return this.compile(computed, alias)
    const column = columnOf(table, name)
    const type = column && formulaTypeOf(column)
    if (!column || type === undefined) return undefined
    return { sql: readColumnSql(`${alias}.${quoteName(column.name)}`, column), type, depth: 6 }
  }

  #lookup(
    { link, field }: ComputedDefinition & { kind: 'lookup' },
    table: TableDescriptor,
    alias: string,
  ): SqlExpression {
    const column = columnOf(table, link)
    const target = this.#context.tables.find(({ name }) => name === column?.references?.table)
    if (!column || !target || column.references?.column !== 'id') throw unreadable(link)
    const other = this.#alias()
    const value = this.#field(target, field, other)
    if (!value) throw unreadable(field)
    this.tables.add(target.name)
    const on = `${other}.id = ${alias}.${quoteName(column.name)}`
    return {
      ...value,
      sql: `(select ${value.sql} from ${quoteName(target.name)} ${other} where ${on})`,
      depth: value.depth + 4,
    }
  }

  #rollup(definition: ComputedDefinition & { kind: 'rollup' }, table: TableDescriptor, alias: string): SqlExpression {
    const child = this.#table('public', definition.table)
    const link = columnOf(child, definition.link)
    if (link?.references?.table !== table.name || link.references.column !== 'id') throw unreadable(definition.link)
    this.tables.add(child.name)
    const other = this.#alias()
    const value =
      definition.field === undefined
        ? ({ sql: 'null', type: 'number', depth: 1 } as const)
        : this.#field(child, definition.field, other)
    if (!value) throw unreadable(definition.field ?? '')
    if (definition.only) this.#grow(formulaSize(definition.only))
    const only = definition.only && this.#formula(definition.only, child, other)
    const where = `${other}.${quoteName(link.name)} = ${alias}.id${only === undefined ? '' : ` and ${only.sql}`}`
    const values = `select ${value.sql} as v from ${quoteName(child.name)} ${other} where ${where}`
    const isSum = definition.function === 'sum' || definition.function === 'average'
    if (isSum && value.type !== 'number')
      throw new FormulaError({ code: 'type', of: definition.function, wanted: 'number', found: value.type }, 0, 0)
    const rows = isSum ? `select v, ${MILLIONTHS} as m from (${values})` : values
    return {
      sql: `(select ${AGGREGATES[definition.function]} from (${rows}))`,
      type: isSum || definition.function === 'count' ? 'number' : value.type,
      depth: Math.max(value.depth, only?.depth ?? 0) + 12,
    }
  }

  #table(schema: string, name: string): TableDescriptor {
    const table = this.#context.tables.find((one) => one.schema === schema && one.table === name)
    if (!table) throw unreadable(name)
    return table
  }

  #alias(): string {
    this.#aliases += 1
    return `o${this.#aliases}`
  }
}

/** Whole millionths, so that a sum does not depend on the order of rows. */
const MILLIONTHS = `case when abs(v) < 9e12 then case when v < 0 then -1 else 1 end * ${scaled('v', 1_000_000)} end`
/** In two parts, because SQLite fails when a sum of integers overflows. */
const SUM = `(coalesce(sum(m / 4294967296), 0) * 4294967296.0 + coalesce(sum(m % 4294967296), 0)) / 1000000.0`
const AGGREGATES: Readonly<Record<RollupFunction, string>> = {
  count: 'cast(count(*) as real)',
  sum: `case when count(v) = count(m) then ${SUM} end`,
  average: `case when count(v) = count(m) then ${SUM} / nullif(count(v), 0) end`,
  min: 'min(v)',
  max: 'max(v)',
}

function columnOf(table: TableDescriptor, name: string): ColumnDescriptor | undefined {
  return table.columns.find((one) => (one.column ?? one.name) === name)
}

function unreadable(found: string): FormulaError {
  return new FormulaError({ code: 'unreadable', found }, 0, 0)
}
