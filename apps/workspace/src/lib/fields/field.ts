import {
  type ColumnDescriptor,
  type ComputedField,
  dueColumnOf,
  type SchemaDescriptor,
  stateColumnOf,
  type TableDescriptor,
  titleColumnOf,
} from '@holdfast/protocol'
import {
  type ChoiceWords,
  choiceWordsOf,
  formatterOfColumn,
  isFilledInByServer,
  wordsOf,
  type WordedColumn,
} from '../data/column-words.ts'
import type { FieldFormatter } from '../data/field-formatter.ts'
import { type FieldKind, isSystemColumn, isTextual, kindOf } from './field-kind.ts'

/** A value as stored locally. */
export type FieldValue = string | number | null

/** Target table of a link field, and its title column. */
export interface LinkTarget {
  readonly table: string
  /** `undefined` if only the id names a row. */
  readonly titleColumn: string | undefined
}

const PEOPLE_TABLE = /(^|_)(people|persons?|profiles|users|members|employees|staff)$/

/** Whether a field references a person. */
export function isPerson({ link }: Pick<Field, 'link'>): boolean {
  return link !== undefined && PEOPLE_TABLE.test(link.table)
}

/** Whether a field's values are files, which are added and removed on the record's page. */
export function isOfFiles(format: FieldFormatter | undefined): boolean {
  return format?.format.kind === 'attachment' || format?.format.kind === 'signature'
}

/** A column for display. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly help: string | undefined
  readonly kind: FieldKind
  readonly column: ColumnDescriptor
  readonly choices: readonly string[]
  /** The project's labels of the choices; others use their value. */
  readonly choiceWords: ChoiceWords
  /** Only if the target table is on this device. */
  readonly link: LinkTarget | undefined
  /** Maintained by the database; hidden by default. */
  readonly isSystem: boolean
  /** Whether this user may ever write it; the server decides per row. */
  readonly isEditable: boolean
  /** Whether the database requires a value, according to the schema. */
  readonly isRequired: boolean
  readonly isTitle: boolean
  /** Set for the due date and the state of a record. */
  readonly use?: 'due' | 'state'
  readonly format?: FieldFormatter | undefined
  /** Not a column of the table: its SQL over the table named `c`, and the other local tables that it reads. */
  readonly computed?: { readonly sql: string; readonly tables: readonly string[]; readonly of: ComputedField }
}

/** Returns a table's fields: title and state first, then in schema order, long texts last. */
export function fieldsOf(table: TableDescriptor, schema: SchemaDescriptor): readonly Field[] {
  const title = titleColumnOf(table.columns)
  const fields = table.columns.map((column) => toField(column, table, schema, title))
  const due = dueColumnOf(table.columns)
  const state = stateColumnOf(fields.flatMap(({ kind, column }) => (kind === 'choice' ? [column] : [])))
  return fields
    .map((field) =>
      field.column === state
        ? { ...field, use: 'state' as const }
        : field.column === due
          ? { ...field, use: 'due' as const }
          : field,
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ isTitle, isSystem, kind, use }: Field): number {
  if (isTitle) return 0
  if (isSystem) return 4
  if (use === 'state') return 1
  return kind === 'long_text' || kind === 'json' ? 3 : 2
}

/** Whether the server fills in who created or changed the record. */
function isFilledIn({ formatKind }: WordedColumn): boolean {
  return formatKind === 'created_by' || formatKind === 'changed_by'
}

function toField(
  column: ColumnDescriptor,
  table: TableDescriptor,
  schema: SchemaDescriptor,
  title: string | undefined,
): Field {
  const isSystem = isSystemColumn(column.name)
  const target = column.references && schema.tables.find((other) => other.name === column.references?.table)
  const link = target && { table: target.name, titleColumn: titleColumnOf(target.columns) }
  const kind = kindOf(column, link !== undefined)
  const { label, help } = wordsOf(column)
  const format = formatterOfColumn(column)
  const isEditable =
    !column.generated &&
    !isFilledIn(column) &&
    !isSystem &&
    kind !== 'binary' &&
    !isOfFiles(format) &&
    (table.can.update || table.can.insert)
  return {
    name: column.name,
    label,
    help,
    kind,
    column,
    choices: column.choices ?? [],
    choiceWords: choiceWordsOf(column),
    link,
    isSystem,
    isEditable,
    isRequired: isEditable && !column.nullable && !column.hasDefault && !isFilledInByServer(column.comment),
    isTitle: column.name === title,
    format,
  }
}

/**
 * Returns selectable values: choices that are not refused, plus the current value.
 *
 * @param refused - choices not offered
 */
export function offeredChoices(
  { choices }: Field,
  value: FieldValue,
  refused?: Pick<ReadonlySet<string>, 'has'>,
): readonly string[] {
  const offered = choices.filter((choice) => choice === value || refused?.has(choice) !== true)
  return value === null || choices.includes(String(value)) ? offered : [...offered, String(value)]
}

/** Whether a text that somebody else changed meanwhile is merged, or both versions are shown: the server does so with the column. */
export function isMergedText({ kind, column }: Pick<Field, 'kind' | 'column'>): boolean {
  return kind === 'long_text' || (column.guard === 'column' && isTextual(kind))
}
