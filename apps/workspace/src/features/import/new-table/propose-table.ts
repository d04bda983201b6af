import { isLongText, type SchemaDescriptor } from '@holdfast/protocol'
import type { Field } from '../../../lib/fields/field.ts'
import { isNumeric } from '../../../lib/fields/field-kind.ts'
import { detectWriting, type Writing } from '../import-settings.ts'
import type { ParsedFile } from '../parse-file.ts'
import { readCell } from '../read-cell.ts'
import { choicesOf } from './choices-of.ts'
import { findTargets, type ProposeOptions } from './find-targets.ts'
import { nameOf } from './name-of.ts'
import {
  type Becomes,
  canBeTitle,
  type DraftField,
  isLabel,
  type NewKind,
  settled,
  type TableDraft,
  toLabel,
  toNewTable,
  toProvisional,
} from './table-draft.ts'

/** Rows sampled to detect kinds. */
const SAMPLE_ROWS = 2_000
/** Share of values that must be valid for a kind to be proposed. */
const FITS = 0.9
const TEXT_LENGTH_MAX = 200
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Proposes a table for a file: kinds that suit the values, links where values name records of other tables, and a title column. The user confirms all of it.
 */
export async function proposeTable(options: ProposeOptions): Promise<TableDraft> {
  const { file } = options
  const columns = file.header.map((_, at) => valuesOf(file, at))
  const writing = detectWritingOf(file)
  const links = await findTargets(
    options,
    columns.map(({ sample }) => sample),
  )
  const fields = file.header.map((header, at): DraftField => {
    const label = toLabel(header)
    const { sample, all } = columns[at] ?? { sample: [], all: [] }
    const link = links[at]
    const becomes =
      link === undefined
        ? kindOfValues(label, all, sample, writing, options.schema)
        : ({ kind: 'link', table: link } as const)
    return { label: isLabel(label) ? label : `Column ${at + 1}`, becomes }
  })
  const draft: TableDraft = {
    label: labelOf(file.name),
    fields: withTitle(withoutSecondLinks(fields), columns),
    title: undefined,
    access: { kind: 'members' },
    writing,
  }
  return settled({ ...draft, title: titleOf(draft, columns) })
}

/** Leaves out the second column of a link: an export has each link by title and by id. */
function withoutSecondLinks(fields: readonly DraftField[]): readonly DraftField[] {
  return fields.map((field) => {
    const { label, becomes } = field
    const isSecond =
      becomes.kind === 'link' &&
      fields.some(
        (one) => `${one.label} ID` === label && one.becomes.kind === 'link' && one.becomes.table === becomes.table,
      )
    return isSecond ? { label, becomes: { kind: 'left_out' } } : field
  })
}

/** A file about the records of another table names each of them once: where nothing else names the new ones, that is a text. */
function withTitle(fields: readonly DraftField[], columns: readonly Values[]): readonly DraftField[] {
  if (fields.some(canBeTitle)) return fields
  const isOnce = (at: number): boolean => new Set(columns[at]?.all).size === columns[at]?.all.length
  const at = fields.findIndex(({ becomes }, place) => becomes.kind === 'link' && isOnce(place))
  const field = fields[at]
  return field ? fields.with(at, { ...field, becomes: { kind: 'text' } }) : fields
}

interface Values {
  readonly all: readonly string[]
  readonly sample: readonly string[]
}

/** Returns the non-empty cells of a column. */
export function valuesOf({ rows }: ParsedFile, at: number): Values {
  const filled = (some: ParsedFile['rows']): readonly string[] =>
    some.map(({ cells }) => cells[at]?.trim() ?? '').filter((text) => text !== '')
  return { all: filled(rows), sample: filled(rows.slice(0, SAMPLE_ROWS)) }
}

/** Returns a label for a file: `valves-2026.csv` becomes `Valves 2026`. */
function labelOf(fileName: string): string {
  const words = toLabel(fileName.replace(/\.[^.]*$/, '').replace(/[-_]+/g, ' '))
  return words === '' ? 'Table' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Detects number and date formats from the columns that look like numbers or dates. */
function detectWritingOf({ header, rows }: ParsedFile): Writing {
  const sample = rows.slice(0, SAMPLE_ROWS)
  const targets = header.map((_, at) => {
    const texts = sample.map(({ cells }) => cells[at]?.trim() ?? '').filter((text) => text !== '')
    const share = (form: RegExp): number => texts.filter((text) => form.test(text)).length / Math.max(1, texts.length)
    // Days with points have the signs of numbers.
    const kind =
      share(/^\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}/) >= FITS ? 'date' : share(/^[+-]?[\d.,]+$/) >= FITS ? 'number' : 'text'
    return { field: { kind } } as Parameters<typeof detectWriting>[0][number]
  })
  return detectWriting(targets, sample)
}

/** Returns the first kind, narrowest first, that suits nearly all values. */
function kindOfValues(
  label: string,
  all: readonly string[],
  sample: readonly string[],
  writing: Writing,
  schema: SchemaDescriptor,
): Becomes {
  if (sample.length === 0) return { kind: 'text' }
  if (all.every((text) => UUID.test(text)) && new Set(all).size === all.length && /^id$/i.test(label))
    return { kind: 'id' }
  const fits = (kind: Exclude<NewKind, 'choice'>): boolean => {
    const field = fieldOf(kind, label, writing, schema)
    const isRead = (text: string): boolean => readCell(field, text, writing).isValid
    return sample.filter(isRead).length / sample.length >= FITS && keepsAll(field, all, writing)
  }
  if (!sample.every((text) => /^[\d.,]+$/.test(text)) && fits('boolean')) return { kind: 'boolean' }
  for (const kind of ['integer', 'number'] as const) if (fits(kind)) return { kind }
  // A day is also a valid moment, at midnight.
  for (const kind of ['date', 'datetime'] as const) if (hasYears(sample) && fits(kind)) return { kind }
  if (sample.some((text) => text.includes('@')) && fits('email')) return { kind: 'email' }
  if (sample.some((text) => text.includes('://')) && fits('url')) return { kind: 'url' }
  const choices = choicesOf(all)
  if (choices !== undefined) return { kind: 'choice', choices }
  if (/phone|mobile|telefon|handy/i.test(label) || arePhoneNumbers(all)) return { kind: 'phone' }
  const isLong =
    isLongText(nameOf(label, 'field', () => false)) ||
    all.some((text) => text.length > TEXT_LENGTH_MAX || text.includes('\n'))
  return { kind: isLong ? 'long_text' : 'text' }
}

/** Whether the values are phone numbers, some with a country code. */
function arePhoneNumbers(all: readonly string[]): boolean {
  return all.some((text) => text.startsWith('+')) && all.every((text) => /^(\+|0|\()[\d\s()/.-]{5,20}$/.test(text))
}

/** Whether the values could be dates with a year; `3-12` could also be a code. */
function hasYears(sample: readonly string[]): boolean {
  const parts = (text: string): number => text.match(/\d+/g)?.length ?? 0
  return sample.filter((text) => parts(text) >= (/\p{L}{3}/u.test(text) ? 2 : 3)).length >= sample.length * FITS
}

/** Returns the field that a column of a kind would become. */
function fieldOf(kind: Exclude<NewKind, 'choice'>, label: string, writing: Writing, schema: SchemaDescriptor): Field {
  const draft: TableDraft = {
    label: 'x',
    fields: [{ label: label || 'x', becomes: { kind } }],
    title: undefined,
    access: { kind: 'members' },
    writing,
  }
  const { fields } = toProvisional(draft, toNewTable(draft, new Set()), schema)
  const field = fields.find(({ name }) => name !== 'id')
  if (!field) throw new Error(`a column of kind ${kind} has no field`)
  return field
}

/** A number that is shown as it was written: no zeros before it, no sign of a telephone number, groups of three digits throughout. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*|[1-9]\d{0,2}([.,' \u00a0\u202f])\d{3}(\2\d{3})*)([.,]\d+)?$/
/** Digits that every program preserves in a number. */
const DIGITS_MAX = 15

/**
 * Whether a field keeps what the file says: numbers come back as they were written, and of numbers, yes and no, no two different texts become the same value. Texts that
 * cannot be read are reported one by one and do not count.
 */
function keepsAll(field: Field, all: readonly string[], writing: Writing): boolean {
  const isNumber = isNumeric(field.kind)
  if (!isNumber && field.kind !== 'boolean') return true
  const texts = new Map<unknown, string>()
  for (const text of new Set(all)) {
    const read = readCell(field, text, writing)
    if (!read.isValid) continue
    if (isNumber && (!PLAIN_NUMBER.test(text) || text.replaceAll(/\D/g, '').length > DIGITS_MAX)) return false
    if ((texts.get(read.value) ?? text) !== text) return false
    texts.set(read.value, text)
  }
  return true
}

/** Returns the first text column with unique values, or else the first text column. */
function titleOf({ fields }: TableDraft, columns: readonly Values[]): number | undefined {
  const isShort = (at: number): boolean => {
    const kind = fields[at]?.becomes.kind
    return kind === 'text' || kind === 'email'
  }
  const texts = fields.flatMap((_, at) => (isShort(at) ? [at] : []))
  const apart = (at: number): number => new Set(columns[at]?.sample).size / Math.max(1, columns[at]?.sample.length ?? 0)
  return texts.find((at) => apart(at) > FITS) ?? texts[0]
}
