import { type SchemaDescriptor, type TableDescriptor, parseJson, parseRecord, titleColumnOf } from '@holdfast/protocol'
import { type ChoiceWords, choiceWordsOf } from '../data/column-words.ts'
import type { FieldValue } from '../fields/field.ts'
import type { RecordValues } from '../records/record-change.ts'

/** Local name of `holdfast.checklists`. */
export const CHECKLISTS_TABLE = 'hf_checklists'

/** A local row of `holdfast.checklists`. */
export interface ChecklistRow {
  readonly schema_name: string
  readonly table_name: string
  readonly item_table: string
  readonly answer_table: string
  readonly finding_table: string | null
  readonly place_fields: string
  readonly names: string
  readonly begin_values: string
  readonly finish_values: string
}

/** Kinds of questions by type of answer. */
export const ANSWER_KINDS = ['yes_no', 'reading', 'choice', 'text', 'date', 'photo', 'signature'] as const
export type AnswerKind = (typeof ANSWER_KINDS)[number]

/** Whether the answer is photos or a signature, and its value their names. */
export function hasFiles(kind: AnswerKind): kind is 'photo' | 'signature' {
  return kind === 'photo' || kind === 'signature'
}

/** Columns of a question by default name; all but the first two are optional. */
export const ITEM_PARTS = [
  'prompt',
  'kind',
  'position',
  'section',
  'required',
  'unit',
  'min',
  'max',
  'choices',
  'finding_when',
  'help',
  'since',
  'until',
] as const
export type ItemPart = (typeof ITEM_PARTS)[number]

/** Default names of answer columns. */
const VALUE_OF_KIND: Readonly<Record<AnswerKind, string>> = {
  yes_no: 'value_bool',
  reading: 'value_num',
  choice: 'value_choice',
  text: 'value_text',
  date: 'value_date',
  photo: 'value_text',
  signature: 'value_text',
}

/** The tables of a checklist and their links, with local names. */
export interface Checklist {
  /** Its records are the completed checklists. */
  readonly table: string
  readonly templates: {
    readonly table: string
    readonly title: string | undefined
    readonly active: string | undefined
    /** Number of the published version; 0 for a draft. */
    readonly version: string | undefined
  }
  /** Link from record to template. */
  readonly template: string
  readonly items: {
    readonly table: string
    readonly template: string
    readonly columns: Readonly<Partial<Record<ItemPart, string>>>
    /** Kind for each value of column `kind`. */
    readonly kinds: ReadonlyMap<string, AnswerKind>
  }
  readonly answers: {
    readonly table: string
    readonly record: string
    readonly item: string
    readonly values: Readonly<Partial<Record<AnswerKind, string>>>
    /** Version of the template with which the record was begun. */
    readonly version: string | undefined
  }
  readonly findings: ChecklistFindings | undefined
  readonly places: readonly string[]
  readonly begin: RecordValues
  readonly finish: RecordValues
  /** The record's column for the path of a signature. */
  readonly signature: string | undefined
}

export interface ChecklistFindings {
  readonly table: string
  /** Its links to the answer that called for it and to the record. */
  readonly answer: string | undefined
  readonly record: string | undefined
  readonly title: string
  readonly severity:
    | { readonly column: string; readonly choices: readonly string[]; readonly words: ChoiceWords }
    | undefined
  readonly position: { readonly lat: string; readonly lon: string } | undefined
  /** Columns of the finding that take over the value of a column of the record. */
  readonly places: readonly { readonly from: string; readonly to: string }[]
}

/**
 * Resolves a row of `holdfast.checklists` against a schema: links by foreign keys, columns by default or configured names.
 *
 * @returns `undefined` if the user lacks a table, or they are not linked
 */
export function checklistOf(row: ChecklistRow, schema: SchemaDescriptor): Checklist | undefined {
  const find = (name: string | null): TableDescriptor | undefined =>
    schema.tables.find((table) => table.table === name && table.schema === row.schema_name)
  const [records, items, answers] = [find(row.table_name), find(row.item_table), find(row.answer_table)]
  if (!records || !items || !answers) return undefined
  const names = parseObject(row.names)
  const nameOf = (usual: string): string => String(names[usual] ?? usual)
  const [templates, template, itemTemplate] = sharedTarget(records, items, schema)
  const [record, item] = [linkTo(answers, records.name), linkTo(answers, items.name)]
  if (!templates || template === undefined || itemTemplate === undefined) return undefined
  if (record === undefined || item === undefined) return undefined
  const columns = present(items, ITEM_PARTS, nameOf)
  if (columns.prompt === undefined || columns.kind === undefined) return undefined
  const places = parseList(row.place_fields).flatMap((name) => localName(records, name) ?? [])
  return {
    table: records.name,
    templates: {
      table: templates.name,
      title: titleColumnOf(templates.columns),
      active: localName(templates, nameOf('active')),
      version: localName(templates, nameOf('version')),
    },
    template,
    items: {
      table: items.name,
      template: itemTemplate,
      columns,
      // The name "signature" is that of a column of the record.
      kinds: new Map(ANSWER_KINDS.map((kind) => [kind === 'signature' ? kind : nameOf(kind), kind])),
    },
    answers: {
      table: answers.name,
      record,
      item,
      values: valuesOf(answers, nameOf),
      version: localName(answers, nameOf('version')),
    },
    findings: findingsOf(find(row.finding_table), {
      records,
      answers,
      places: parseList(row.place_fields),
      nameOf,
    }),
    places,
    begin: ofColumns(records, parseObject(row.begin_values)),
    finish: ofColumns(records, parseObject(row.finish_values)),
    signature: localName(records, nameOf('signature')),
  }
}

/** Returns the templates table: the common link target of records and questions. */
function sharedTarget(
  records: TableDescriptor,
  items: TableDescriptor,
  schema: SchemaDescriptor,
): readonly [TableDescriptor | undefined, string | undefined, string | undefined] {
  for (const { name, references } of items.columns) {
    const own = references && linkTo(records, references.table)
    const target = own === undefined ? undefined : schema.tables.find((table) => table.name === references?.table)
    if (target) return [target, own, name]
  }
  return [undefined, undefined, undefined]
}

function linkTo(table: TableDescriptor, target: string): string | undefined {
  return table.columns.find(({ references }) => references?.table === target)?.name
}

/** Returns the local name of a column given by its Postgres name. */
function localName({ columns }: TableDescriptor, name: string): string | undefined {
  return columns.find((column) => (column.column ?? column.name) === name)?.name
}

function present<Part extends string>(
  table: TableDescriptor,
  parts: readonly Part[],
  nameOf: (usual: string) => string,
): Partial<Record<Part, string>> {
  const found: Partial<Record<Part, string>> = {}
  for (const part of parts) {
    const name = localName(table, nameOf(part))
    if (name !== undefined) found[part] = name
  }
  return found
}

function valuesOf(answers: TableDescriptor, nameOf: (usual: string) => string): Partial<Record<AnswerKind, string>> {
  const found: Partial<Record<AnswerKind, string>> = {}
  for (const kind of ANSWER_KINDS) {
    const name = localName(answers, nameOf(VALUE_OF_KIND[kind]))
    if (name !== undefined) found[kind] = name
  }
  return found
}

function findingsOf(
  table: TableDescriptor | undefined,
  {
    records,
    answers,
    places,
    nameOf,
  }: {
    readonly records: TableDescriptor
    readonly answers: TableDescriptor
    readonly places: readonly string[]
    readonly nameOf: (usual: string) => string
  },
): ChecklistFindings | undefined {
  const title = table && titleColumnOf(table.columns)
  if (!table || title === undefined) return undefined
  const [answer, record] = [linkTo(table, answers.name), linkTo(table, records.name)]
  if (answer === undefined && record === undefined) return undefined
  const severityName = localName(table, nameOf('severity'))
  const severity = table.columns.find(({ name, choices }) => name === severityName && choices !== undefined)
  const [lat, lon] = [localName(table, nameOf('lat')), localName(table, nameOf('lon'))]
  return {
    table: table.name,
    answer,
    record,
    title,
    severity: severity && { column: severity.name, choices: severity.choices ?? [], words: choiceWordsOf(severity) },
    position: lat !== undefined && lon !== undefined ? { lat, lon } : undefined,
    places: places.flatMap((name) => {
      const [from, to] = [localName(records, name), localName(table, name)]
      return from === undefined || to === undefined ? [] : [{ from, to }]
    }),
  }
}

function ofColumns(table: TableDescriptor, values: Readonly<Record<string, unknown>>): RecordValues {
  const own: Record<string, FieldValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const local = localName(table, name)
    if (local !== undefined) own[local] = toLocal(value)
  }
  return own
}

/** Converts a plain JSON value to its local form. */
function toLocal(value: unknown): FieldValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** @returns an empty object for invalid text */
export function parseObject(text: string | null): Readonly<Record<string, unknown>> {
  return parseRecord(text ?? '') ?? {}
}

/** Parses a list of texts from a local Postgres array. */
export function parseList(text: FieldValue): readonly string[] {
  const value = parseJson(String(text ?? '[]'))
  return Array.isArray(value) ? value.map(String) : []
}
