import { isLongText, type SchemaDescriptor } from '@holdfast/protocol'
import { exportedText } from '../../../lib/exchange/exported-text.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { isNumeric } from '../../../lib/fields/field-kind.ts'
import { importMessages } from '../../../messages/import.ts'
import { countWriting, emptyTally, type Writing, writingOf } from '../import-settings.ts'
import type { ParsedFile } from '../parse-file.ts'
import { FormTally, markedNumberOf, withoutMark } from '../marked-number.ts'
import { pausing } from '../pause.ts'
import { readCell } from '../read-cell.ts'
import { choicesOf } from './choices-of.ts'
import { findTargets, type FoundTarget, type ProposeOptions } from './find-targets.ts'
import { nameOf } from '../../../lib/fields/name-of.ts'
import { DEFAULT_SETTINGS } from '../../../lib/fields/new-kinds.ts'
import {
  type Becomes,
  type BecomesMarked,
  canBeTitle,
  type DraftField,
  isLabel,
  type NarrowKind,
  settled,
  type TableDraft,
  toLabel,
  toNewTable,
  toProvisional,
} from './table-draft.ts'

/** Rows from which links, titles and formats are guessed. */
const SAMPLE_ROWS = 2_000
/** Share of values that decide what a column is about. A kind is proposed only if it fits all of them. */
const MOST = 0.9
/** Different values read between two pauses. */
const STEP = 200
const TEXT_LENGTH_MAX = 200
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Proposes a table for a file: kinds that suit the values, links where values name records of other tables, and a title column. The user confirms all of it.
 *
 * @throws the abort reason of `signal`
 */
export async function proposeTable(options: ProposeOptions & { readonly signal?: AbortSignal }): Promise<TableDraft> {
  const { file, schema } = options
  const pause = pausing(options.signal)
  const columns: Values[] = []
  for (const at of file.header.keys()) {
    columns.push(valuesOf(file, at))
    await pause()
  }
  const writing = await detectWritingOf(file, columns, pause)
  const links = await findTargets(
    options,
    columns.map(({ sample }) => sample),
  )
  const fields: DraftField[] = []
  for (const [at, header] of file.header.entries()) {
    const label = toLabel(header)
    const values = columns[at] ?? { sample: [], all: [] }
    const link = links[at]
    const isUnnamed = header === importMessages.columnAt(at + 1)
    const proposed: Proposed =
      values.all.length === 0 && isUnnamed
        ? { becomes: { kind: 'left_out' } }
        : link === undefined && file.rows.some(({ texts }) => texts?.includes(at))
          ? { becomes: { kind: 'text' } }
          : link === undefined || link.misfit !== undefined
            ? await kindOfValues(label, values, { writing, schema, pause }, link)
            : { becomes: { kind: 'link', table: link.table } }
    fields.push({ label: isLabel(label) ? label : importMessages.columnAt(at + 1), ...proposed })
  }
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

type Pause = ReturnType<typeof pausing>

/** Detects number and date formats from all cells of the columns that look like numbers or dates. */
async function detectWritingOf({ rows }: ParsedFile, columns: readonly Values[], pause: Pause): Promise<Writing> {
  const kinds = columns.map(({ sample }) => {
    const share = (form: RegExp): number => sample.filter((text) => form.test(text)).length / Math.max(1, sample.length)
    // Days with points have the signs of numbers.
    if (share(/^\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}/) >= MOST) return 'date'
    const numbers = sample.filter((text) => /^[+-]?[\d.,]+$/.test(withoutMark(text))).length
    return numbers / Math.max(1, sample.length) >= MOST ? 'number' : 'text'
  })
  const tally = emptyTally()
  for (let from = 0; from < rows.length; from += SAMPLE_ROWS) {
    countWriting(kinds, rows.slice(from, from + SAMPLE_ROWS), tally)
    await pause()
  }
  return writingOf(tally)
}

interface KindOptions {
  readonly writing: Writing
  readonly schema: SchemaDescriptor
  readonly pause: Pause
}

type Proposed = Pick<DraftField, 'becomes' | 'almost'>

/** Returns the first kind, narrowest first, that fits all values and keeps what they say, and the narrower one that fits nearly all. */
async function kindOfValues(
  label: string,
  { all, sample }: Values,
  options: KindOptions,
  link?: FoundTarget,
): Promise<Proposed> {
  if (all.length === 0) return { becomes: { kind: 'text' } }
  const counts = new Map<string, number>()
  for (const text of all) counts.set(text, (counts.get(text) ?? 0) + 1)
  await options.pause()
  if (/^id$/i.test(label) && counts.size === all.length && all.every((text) => UUID.test(text)))
    return { becomes: { kind: 'id' } }
  let almost: DraftField['almost'] =
    link?.misfit === undefined ? undefined : { kind: 'link', table: link.table, misfit: link.misfit }
  for (const becomes of candidatesOf(all, sample, counts)) {
    const field = fieldOf(becomes, label, options.writing, options.schema)
    const { isKept, misfit } = await keepsAll(field, counts, all.length, options)
    if (!isKept) continue
    if (misfit === undefined) return { becomes, almost }
    almost ??= { kind: becomes.kind, misfit }
  }
  return { becomes: wordsKindOf(label, all), almost }
}

/** Returns the kinds that the values could be, narrowest first. */
function candidatesOf(
  all: readonly string[],
  sample: readonly string[],
  counts: ReadonlyMap<string, number>,
): readonly (BecomesMarked | { readonly kind: Exclude<NarrowKind, BecomesMarked['kind']> })[] {
  const marked = markedKindOf(all)
  return [
    ...(isYesAndNo(counts) ? [{ kind: 'boolean' } as const] : []),
    { kind: 'integer' },
    { kind: 'number' },
    ...(marked ? [marked] : []),
    // A day is also a valid moment, at midnight.
    { kind: 'date' },
    { kind: 'datetime' },
    ...(sample.some((text) => text.includes('@')) ? [{ kind: 'email' } as const] : []),
    ...(sample.some((text) => text.includes('://')) ? [{ kind: 'url' } as const] : []),
  ]
}

/** Returns the kind of a column of words. */
function wordsKindOf(label: string, all: readonly string[]): Becomes {
  const choices = choicesOf(all)
  if (choices !== undefined) return { kind: 'choice', choices }
  if (/phone|mobile|telefon|handy/i.test(label) || arePhoneNumbers(all)) return { kind: 'phone' }
  const isLong =
    isLongText(nameOf(label, 'field', () => false)) ||
    all.some((text) => text.length > TEXT_LENGTH_MAX || text.includes('\n'))
  return { kind: isLong ? 'long_text' : 'text' }
}

/** Returns what a column becomes whose first marked number is an amount or a percentage. */
export function markedKindOf(all: readonly string[]): BecomesMarked | undefined {
  const found = all.slice(0, SAMPLE_ROWS).find((text) => markedNumberOf(text))
  const mark = found && markedNumberOf(found)?.mark
  if (mark === undefined) return undefined
  return mark === '%'
    ? { kind: 'percent', settings: DEFAULT_SETTINGS }
    : { kind: 'currency', settings: { ...DEFAULT_SETTINGS, code: mark } }
}

/** Words that mean yes and no by themselves. */
const PLAIN_PAIRS = ['yes no', 'ja nein', 'oui non', 'true false', 'wahr falsch', 'vrai faux', 'x', '✓'].map(toPair)
/** Words that mean something else by themselves: a column of only `f` is hardly one of checkboxes. */
const SHORT_PAIRS = ['y n', 'j n', 'o n', 't f', 'on off'].map(toPair)

function toPair(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** Whether all values are yes and no in one way of writing them. */
function isYesAndNo(counts: ReadonlyMap<string, number>): boolean {
  if (counts.size > 2) return false
  const words = new Set([...counts.keys()].map((text) => text.toLowerCase()))
  const isOf = (pair: ReadonlySet<string>): boolean => [...words].every((word) => pair.has(word))
  return PLAIN_PAIRS.some((pair) => isOf(pair)) || SHORT_PAIRS.some((pair) => words.size === pair.size && isOf(pair))
}

/** Whether the values are phone numbers, some with a country code. */
function arePhoneNumbers(all: readonly string[]): boolean {
  return all.some((text) => text.startsWith('+')) && all.every((text) => /^(\+|0|\()[\d\s()/.-]{5,20}$/.test(text))
}

/** Returns the field that a column would become. */
function fieldOf(becomes: Becomes, label: string, writing: Writing, schema: SchemaDescriptor): Field {
  const draft: TableDraft = {
    label: 'x',
    fields: [{ label: label || 'x', becomes }],
    title: undefined,
    access: { kind: 'members' },
    writing,
  }
  const { fields } = toProvisional(draft, toNewTable(draft, new Set()), schema)
  const field = fields.find(({ name }) => name !== 'id')
  if (!field) throw new Error(`a column of kind ${becomes.kind} has no field`)
  return field
}

/** A number that is shown as it was written: no zeros before it, no sign of a telephone number, groups of three digits throughout. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*|[1-9]\d{0,2}([.,' \u00a0\u202f])\d{3}(\2\d{3})*)([.,]\d+)?$/
/** Digits that every program preserves in a number. */
const DIGITS_MAX = 15

/** Whether a field keeps what the texts say. */
interface Kept {
  readonly isKept: boolean
  /** The first text that the field cannot hold. */
  readonly misfit?: string
}

const NOT_KEPT: Kept = { isKept: false }

/**
 * Finds out whether a field fits at least {@link MOST} values and keeps what the file says: numbers come back as they were written, with one mark in one place,
 * and no two different texts become the same value, except days and moments, which may be written in several ways.
 *
 * @param counts - the different values and how often the file has each
 */
async function keepsAll(
  field: Field,
  counts: ReadonlyMap<string, number>,
  total: number,
  { writing, pause }: KindOptions,
): Promise<Kept> {
  const misfitsMax = total - Math.ceil(total * MOST)
  const texts = new Map<unknown, string>()
  const forms = new FormTally()
  let misfits = 0
  let misfit: string | undefined
  let step = 0
  for (const [text, count] of counts) {
    step += 1
    if (step % STEP === 0) await pause()
    const read = readCell(field, text, writing)
    if (!read.isValid) {
      misfits += count
      misfit ??= text
      const isOther = field.format !== undefined && markedNumberOf(text) !== undefined
      if (misfits > misfitsMax || isOther) return NOT_KEPT
    } else if (isNumeric(field.kind)) {
      const digits = digitsOf(text)
      // A whole number would drop the zero of 1.0.
      const isKept = digits === digitsOf(exportedText(field, read.value))
      const marked = markedNumberOf(text)
      // A number without the mark would get one.
      if (field.format && marked?.mark !== markOf(field)) return NOT_KEPT
      if (marked) forms.add(marked, writing.decimal)
      if (!isKept || !PLAIN_NUMBER.test(marked?.bare ?? text) || digits.replace(/^-?0+/, '').length > DIGITS_MAX)
        return NOT_KEPT
    } else if (field.kind === 'datetime' && /:\d{2}[.,]\d{4,}/.test(text)) return NOT_KEPT
    if (!read.isValid || field.kind === 'date' || field.kind === 'datetime') continue
    if (texts.has(read.value)) return NOT_KEPT
    texts.set(read.value, text)
  }
  return { isKept: forms.isOne, ...(misfit !== undefined && { misfit }) }
}

function markOf({ format }: Field): string | undefined {
  return format?.format.kind === 'currency' ? format.format.code : format?.format.kind === 'percent' ? '%' : undefined
}

/** The digits of a number and its sign. */
function digitsOf(text: string): string {
  return text.replaceAll(/[^\d-]/g, '')
}

/** Returns the first text column with unique values, or else the first text column. */
function titleOf({ fields }: TableDraft, columns: readonly Values[]): number | undefined {
  const isShort = (at: number): boolean => {
    const kind = fields[at]?.becomes.kind
    return kind === 'text' || kind === 'email'
  }
  const texts = fields.flatMap((_, at) => (isShort(at) ? [at] : []))
  const apart = (at: number): number => new Set(columns[at]?.sample).size / Math.max(1, columns[at]?.sample.length ?? 0)
  return texts.find((at) => apart(at) > MOST) ?? texts[0]
}
