import {
  type ComputedContext,
  type ComputedField,
  computedSql,
  FormulaError,
  type FormulaType,
  readComputedDefinition,
  type SchemaDescriptor,
  type TableDescriptor,
  tablesOfComputed,
} from '@holdfast/protocol'
import type { Field } from './field.ts'
import type { FieldKind } from './field-kind.ts'
import { COMPUTED_ALIAS } from './table-sql.ts'

/** A local row of `holdfast.computed_fields`. */
export interface StoredComputed {
  readonly table_name: string
  readonly field_name: string
  readonly label: string
  readonly result: string
  readonly definition: string
}

const TYPES: Readonly<
  Record<FormulaType, { readonly kind: FieldKind; readonly type: string; readonly local: 'text' | 'integer' | 'real' }>
> = {
  text: { kind: 'text', type: 'text', local: 'text' },
  number: { kind: 'number', type: 'double precision', local: 'real' },
  boolean: { kind: 'boolean', type: 'boolean', local: 'integer' },
  date: { kind: 'date', type: 'date', local: 'text' },
  datetime: { kind: 'datetime', type: 'timestamp with time zone', local: 'text' },
}

/** Reads stored computed fields; those of a newer version are left out. */
export function readComputed(rows: readonly StoredComputed[]): readonly ComputedField[] {
  return rows.flatMap((row) => {
    const definition = readComputedDefinition(row.definition)
    const result = Object.keys(TYPES).find((type): type is FormulaType => type === row.result)
    if (!definition || !result) return []
    return [{ table: row.table_name, name: row.field_name, label: row.label, result, definition }]
  })
}

/** Returns the computed fields of a table. One that this device cannot compute, as when it reads a table that is not here, is left out. */
export function compileComputed(
  table: TableDescriptor,
  schema: SchemaDescriptor,
  all: readonly ComputedField[],
  clock: Pick<ComputedContext, 'today' | 'now'>,
): readonly Field[] {
  if (table.schema !== 'public') return []
  const context = { tables: schema.tables, fields: all, ...clock }
  return all.filter((one) => one.table === table.table).flatMap((one) => compileField(one, context) ?? [])
}

/** @throws FormulaError if it cannot be computed */
export function computedField(one: ComputedField, context: ComputedContext): Field {
  const { sql, type } = computedSql(one, COMPUTED_ALIAS, context)
  const { kind, ...column } = TYPES[type]
  return {
    name: one.name,
    label: one.label,
    help: undefined,
    kind,
    column: { name: one.name, ...column, nullable: true, hasDefault: false, generated: true },
    choices: [],
    choiceWords: new Map(),
    link: undefined,
    isSystem: false,
    isEditable: false,
    isRequired: false,
    isTitle: false,
    computed: { sql, tables: tablesOfComputed(one, context), of: one },
  }
}

function compileField(one: ComputedField, context: ComputedContext): Field | undefined {
  try {
    return computedField(one, context)
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    console.info(`The field ${one.name} cannot be computed on this device.`, error)
    return undefined
  }
}
