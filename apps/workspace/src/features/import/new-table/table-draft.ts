import { type ColumnDescriptor, type SchemaDescriptor, type TableDescriptor, titleColumnOf } from '@holdfast/protocol'
import { TEAMS_TABLE } from '../../../lib/data/link-tables.ts'
import { type TableInfo, toTableInfo } from '../../../lib/data/tables.ts'
import { fileColumnsOf } from '../../../lib/exchange/file-columns.ts'
import { formatterOf } from '../../../lib/fields/field-formats.ts'
import type { WordedColumn } from '../../../lib/data/column-words.ts'
import { type Field, fieldsOf } from '../../../lib/fields/field.ts'
import { fieldNameOf, nameOf, TEXT_ENDS, type TextKind } from '../../../lib/fields/name-of.ts'
import { type AutomaticKind, type FormatKind, type FormatSettings, settingOf } from '../../../lib/fields/new-kinds.ts'
import type { ImportSettings, Writing } from '../import-settings.ts'

/** Kinds of fields in a new table, besides links. */
export const NEW_KINDS = [
  'text',
  'long_text',
  'email',
  'url',
  'phone',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'choice',
] as const
export type NewKind = (typeof NEW_KINDS)[number]

/** Kinds of numbers that a file writes with a mark. */
export const MARKED_KINDS = ['currency', 'percent'] as const
export type MarkedKind = (typeof MARKED_KINDS)[number]

export function isMarked(kind: string): kind is MarkedKind {
  return MARKED_KINDS.some((one) => one === kind)
}

export interface BecomesMarked {
  readonly kind: MarkedKind
  readonly settings: FormatSettings
}

/** What a column of the file becomes. `id`: it has the records' ids. */
export type Becomes =
  | { readonly kind: Exclude<NewKind, 'choice'> }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'link'; readonly table: string }
  | { readonly kind: AutomaticKind }
  | { readonly kind: FormatKind; readonly settings: FormatSettings }
  | { readonly kind: 'id' }
  | { readonly kind: 'left_out' }

export interface DraftField {
  readonly label: string
  readonly becomes: Becomes
  /** A narrower kind that fits nearly all values of the file, and the first value that it does not. */
  readonly almost?: (AlmostKind & { readonly misfit: string }) | undefined
}

/** Kinds that hold only some texts. */
export type NarrowKind =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'currency'
  | 'percent'
  | 'date'
  | 'datetime'
  | 'email'
  | 'url'

type AlmostKind = { readonly kind: NarrowKind } | { readonly kind: 'link'; readonly table: string }

/** Who may see the records. `field`: index of the column that names the team. */
export type DraftAccess =
  | { readonly kind: 'members' }
  | { readonly kind: 'own' }
  | { readonly kind: 'team'; readonly field: number }

/** The description of a table to be created from a file. */
export interface TableDraft {
  readonly label: string
  /** One per column of the file. */
  readonly fields: readonly DraftField[]
  /** Index of the title column; `undefined`: no column can be the title. */
  readonly title: number | undefined
  readonly access: DraftAccess
  readonly writing: Writing
}

const LABEL_MAX = 40

/** Converts a text to a valid label: one line, without full stops, not too long. */
export function toLabel(text: string): string {
  const line = text.replace(/[.\p{Cc}\s]+/gu, ' ').trim()
  return [...line].slice(0, LABEL_MAX).join('').trim()
}

export function isLabel(text: string): boolean {
  return text.trim() !== '' && !/[.\p{Cc}]/u.test(text) && [...text.trim()].length <= LABEL_MAX
}

/** Whether a column can be the title: a short text that is imported. */
export function canBeTitle({ becomes }: DraftField): boolean {
  return isText(becomes) && becomes.kind !== 'long_text'
}

function isText({ kind }: Becomes): boolean {
  return kind in TEXT_ENDS
}

/** Returns the indexes of the columns that link to teams. */
export function teamFieldsOf({ fields }: TableDraft): readonly number[] {
  return fields.flatMap(({ becomes }, at) => (becomes.kind === 'link' && becomes.table === TEAMS_TABLE ? [at] : []))
}

/** Restores a draft's consistency after a change: the title must be a text, and the team column must link to teams. */
export function settled(draft: TableDraft): TableDraft {
  const { fields, access } = draft
  const titled = draft.title === undefined ? undefined : fields[draft.title]
  const first = fields.findIndex(canBeTitle)
  const title = titled && canBeTitle(titled) ? draft.title : first === -1 ? undefined : first
  const teams = teamFieldsOf(draft)
  const [team] = teams
  if (access.kind !== 'team' || teams.includes(access.field)) return { ...draft, title }
  return { ...draft, title, access: team === undefined ? { kind: 'members' } : { kind: 'team', field: team } }
}

/** The arguments of `holdfast.create_table`, and the targets of the file's columns. */
export interface NewTable {
  readonly definition: {
    readonly name: string
    readonly label: string
    readonly fields: readonly object[]
    readonly access: object
  }
  /** The field name per column of the file; `undefined`: ignored. */
  readonly names: readonly (string | undefined)[]
}

/** @param taken - names of existing tables */
export function toNewTable(draft: TableDraft, taken: Pick<ReadonlySet<string>, 'has'>): NewTable {
  const names = namesOf(draft)
  const order = draft.fields
    .map((_, at) => at)
    .sort((a, b) => Number(b === draft.title) - Number(a === draft.title) || a - b)
  const fields = order.flatMap((at) => {
    const field = draft.fields[at]
    const name = names[at]
    if (!field || name === undefined || field.becomes.kind === 'id' || field.becomes.kind === 'left_out') return []
    const { becomes } = field
    return [{ name, label: field.label.trim(), ...kindOf(becomes) }]
  })
  const { access } = draft
  return {
    names,
    definition: {
      name: nameOf(draft.label, 'table', (name) => taken.has(name)),
      label: draft.label.trim(),
      fields,
      access: access.kind === 'team' ? { kind: 'team', field: names[access.field] } : access,
    },
  }
}

/** Returns a field as `holdfast.create_table` reads it. */
function kindOf(becomes: Becomes): object {
  if (!('settings' in becomes)) return { ...becomes, ...(isText(becomes) && { kind: 'text' }) }
  return formatOf(becomes)
}

/** Returns a format as the server stores it. */
function formatOf({ kind, settings }: Extract<Becomes, { kind: FormatKind }>): object {
  const setting = settingOf(kind)
  return { kind, ...(setting && { [setting]: settings[setting] }) }
}

/** Returns the fields' names. If screens would pick another column as the title, the title field is named `title`. */
function namesOf(draft: TableDraft): readonly (string | undefined)[] {
  const names = givenNames(draft, undefined)
  const { title } = draft
  if (title === undefined) return names
  const columns = names.flatMap((name, at) => {
    const becomes = draft.fields[at]?.becomes
    return name === undefined || !becomes ? [] : [columnOf(name, name, becomes)]
  })
  const own = columns.filter(({ name }) => name === names[title])
  const inOrder = [...own, ...columns.filter(({ name }) => name !== names[title])]
  return titleColumnOf(inOrder) === names[title] ? names : givenNames(draft, title)
}

/** @param titled - the column to name `title`, whatever its label */
function givenNames(draft: TableDraft, titled: number | undefined): readonly (string | undefined)[] {
  const taken = new Set(titled === undefined ? [] : ['title'])
  return draft.fields.map(({ label, becomes }, at) => {
    if (becomes.kind === 'left_out') return undefined
    if (becomes.kind === 'id') return 'id'
    if (at === titled) return 'title'
    const kind = isText(becomes) ? (becomes.kind as TextKind) : undefined
    const name = fieldNameOf(label, kind, (one) => taken.has(one))
    taken.add(name)
    return name
  })
}

const TYPES: Readonly<
  Record<NewKind | AutomaticKind | FormatKind | 'link', readonly [type: string, local: ColumnDescriptor['local']]>
> = {
  text: ['text', 'text'],
  long_text: ['text', 'text'],
  email: ['text', 'text'],
  url: ['text', 'text'],
  phone: ['text', 'text'],
  integer: ['bigint', 'integer'],
  number: ['numeric', 'text'],
  boolean: ['boolean', 'integer'],
  date: ['date', 'text'],
  datetime: ['timestamp with time zone', 'text'],
  choice: ['text', 'text'],
  link: ['uuid', 'text'],
  autonumber: ['bigint', 'integer'],
  created_by: ['uuid', 'text'],
  created_at: ['timestamp with time zone', 'text'],
  changed_by: ['uuid', 'text'],
  changed_at: ['timestamp with time zone', 'text'],
  attachment: ['text', 'text'],
  signature: ['text', 'text'],
  rating: ['bigint', 'integer'],
  currency: ['numeric', 'text'],
  percent: ['numeric', 'text'],
  duration: ['bigint', 'integer'],
  barcode: ['text', 'text'],
  location: ['point', 'text'],
}

function columnOf(name: string, label: string, becomes: Becomes): WordedColumn {
  const [type, local] = becomes.kind === 'id' || becomes.kind === 'left_out' ? TYPES.link : TYPES[becomes.kind]
  const column: ColumnDescriptor = {
    name,
    type,
    local,
    nullable: true,
    hasDefault: becomes.kind === 'id',
    generated: false,
    comment: `${label}.`,
    ...(becomes.kind === 'choice' && { choices: becomes.choices }),
    ...(becomes.kind === 'link' && { references: { table: becomes.table, column: 'id' } }),
  }
  const format = 'settings' in becomes ? formatterOf(formatOf(becomes), column) : undefined
  return { ...column, ...(format && { format }) }
}

/** Returns the table's future shape on devices, to check the file's rows before the table exists. */
export function toProvisional(
  draft: TableDraft,
  { definition, names }: NewTable,
  schema: SchemaDescriptor,
): { readonly table: TableInfo; readonly fields: readonly Field[]; readonly settings: ImportSettings } {
  const columns = draft.fields.flatMap(({ label, becomes }, at) => {
    const name = names[at]
    return name === undefined || becomes.kind === 'id' ? [] : [columnOf(name, label, becomes)]
  })
  const descriptor: TableDescriptor = {
    name: definition.name,
    schema: 'public',
    table: definition.name,
    columns: [columnOf('id', 'ID', { kind: 'id' }), ...columns],
    can: { insert: true, update: true, delete: true },
    indexes: [],
  }
  const fields = fieldsOf(descriptor, schema)
  const named = draft.label.trim().toLowerCase()
  return {
    table: { ...toTableInfo(descriptor), label: draft.label.trim(), many: named, noun: named },
    fields,
    settings: settingsFor(names, fields, draft.writing),
  }
}

/** Returns the targets of the columns. Links are found by title, number or id. */
export function settingsFor(names: NewTable['names'], fields: readonly Field[], writing: Writing): ImportSettings {
  const columns = fileColumnsOf(fields)
  const targets = names.map((name) => columns.find(({ field }) => field.name === name))
  return { targets, key: undefined, writing }
}
