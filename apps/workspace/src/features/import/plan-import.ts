import type { Judgement, PlannedWrite } from '@holdfast/client'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { TableInfo } from '../../lib/data/tables.ts'
import { exportedText } from '../../lib/exchange/exported-text.ts'
import type { FileColumn } from '../../lib/exchange/file-columns.ts'
import type { FileRow } from '../../lib/exchange/opened-file.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import type { ParsedValue } from '../../lib/fields/parse-value.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import { toPlanned } from '../../lib/records/judge-changes.ts'
import type { RecordChange, RecordValues } from '../../lib/records/record-change.ts'
import { refusalWords } from '../../lib/records/refusal-words.ts'
import { quoteName } from '../../lib/sql.ts'
import { importMessages as words } from '../../messages/import.ts'
import { FoundLinks } from './find-links.ts'
import type { ImportSettings, Writing } from './import-settings.ts'
import { pausing } from './pause.ts'
import { foundBy, isSameValue, readCell } from './read-cell.ts'

/** Rows checked at once; the page may render in between. */
const SLICE = 200

/** Why a row of a file is left out. */
export interface Issue {
  readonly row: FileRow
  /** Index of the column in the file; `undefined`: the whole row. */
  readonly column: number | undefined
  readonly reason: string
}

export interface ImportPlan {
  readonly changes: readonly RecordChange[]
  readonly inserted: number
  readonly updated: number
  /** Rows equal to their record. */
  readonly same: number
  readonly issues: readonly Issue[]
  /** Rows with issues; none of their cells is imported. */
  readonly refusedRows: number
  /** Number of non-empty and of valid cells per column. */
  readonly fits: readonly { readonly filled: number; readonly fit: number }[]
}

export interface PlanOptions {
  readonly database: Pick<CommonPowerSyncDatabase, 'getAll'>
  readonly judge: (writes: readonly PlannedWrite[]) => Promise<readonly Judgement[]>
  readonly table: TableInfo
  readonly tables: readonly TableInfo[]
  readonly fields: readonly Field[]
  readonly rows: readonly FileRow[]
  readonly settings: ImportSettings
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

type LocalRow = RecordValues & { readonly id: string }

interface ReadRow {
  readonly row: FileRow
  readonly values: ReadonlyMap<Field, FieldValue>
  /** Index of the column that each value comes from. */
  readonly columns: ReadonlyMap<Field, number>
}

/**
 * Compares a file with this device's records. Returns what the import would create and change, and the rows refused by field types, required fields or, as far
 * as this device knows, policies.
 *
 * @throws the abort reason of `signal`
 */
export async function planImport(options: PlanOptions): Promise<ImportPlan> {
  const { rows, settings, signal, onProgress } = options
  const links = new FoundLinks(options.database, options.tables)
  const state = {
    changes: [] as RecordChange[],
    issues: [] as Issue[],
    fits: settings.targets.map(() => ({ filled: 0, fit: 0 })),
    seen: { keys: new Map<string, number>(), ids: new Map<string, number>() },
    same: 0,
  }
  const pause = pausing(signal)
  for (let from = 0; from < rows.length; from += SLICE) {
    await pause()
    const slice = rows.slice(from, from + SLICE)
    await findLinks(links, settings.targets, slice)
    const read = slice.map((row) => readRow(row, options, links, state.fits))
    const there = { records: await readRecords(options, slice), ids: await readIds(options, read) }
    const planned = read.map((row) => planRow(row, options, there, state.seen))
    const judged = await judgeSlice(options, planned)
    for (const { issues, change } of judged) {
      state.issues.push(...issues)
      if (issues.length > 0) continue
      if (change) state.changes.push(change)
      else state.same += 1
    }
    onProgress(Math.min(from + SLICE, rows.length))
  }
  const { seen: _, ...rest } = state
  return {
    ...rest,
    inserted: state.changes.filter(({ kind }) => kind === 'insert').length,
    updated: state.changes.filter(({ kind }) => kind === 'update').length,
    refusedRows: new Set(state.issues.map(({ row }) => row)).size,
  }
}

async function findLinks(
  links: FoundLinks,
  targets: readonly (FileColumn | undefined)[],
  rows: readonly FileRow[],
): Promise<void> {
  for (const [column, target] of targets.entries()) {
    if (target?.field.link)
      await links.find(
        target.field,
        rows.map(({ cells }) => cells[column] ?? ''),
      )
  }
}

type Read = ReadRow & { readonly issues: readonly Issue[]; readonly raw: ReadonlyMap<Field, string> }

/** Reads the values of a row. For links the id decides; a title beside it must name the same record, or none. */
function readRow(
  row: FileRow,
  { settings }: PlanOptions,
  links: FoundLinks,
  fits: { filled: number; fit: number }[],
): Read {
  const issues: Issue[] = []
  const values = new Map<Field, FieldValue>()
  const columns = new Map<Field, number>()
  const raw = new Map<Field, string>()
  if (row.cells.slice(settings.targets.length).some((cell) => cell.trim() !== '')) {
    issues.push({ row, column: undefined, reason: words.tooManyCells })
  }
  settings.targets.forEach((target, column) => {
    if (!target) return
    const { field } = target
    const text = row.cells[column] ?? ''
    if (target.part === 'value') raw.set(field, text)
    const parsed = parseCell(target, text, writingOf(row, column, settings), links)
    const tally = fits[column]
    if (tally && text.trim() !== '') {
      tally.filled += 1
      if (parsed.isValid) tally.fit += 1
    }
    const other = values.get(field)
    if (!parsed.isValid) {
      // The record may have been renamed since.
      if (target.part === 'title' && hasId(settings, row, field)) return
      issues.push({ row, column, reason: parsed.message })
    } else if (columns.has(field) && parsed.value !== null && other !== null && other !== parsed.value) {
      issues.push({ row, column, reason: words.twoLinks })
    } else if (target.part === 'value' || !columns.has(field)) {
      if (target.part === 'title' && parsed.value === null && hasId(settings, row, field)) return
      if (target.part === 'value' && parsed.value === null && other !== undefined && other !== null) return
      values.set(field, parsed.value)
      columns.set(field, column)
    }
  })
  return { row, values, columns, raw, issues }
}

function hasId({ targets }: ImportSettings, { cells }: FileRow, field: Field): boolean {
  return targets.some(
    (target, column) => target?.field === field && target.part === 'value' && (cells[column] ?? '').trim() !== '',
  )
}

/** Returns a cell's format. Cells stored as numbers use a decimal point. */
function writingOf({ fractions }: FileRow, column: number, { writing }: ImportSettings): Writing {
  return fractions?.includes(column) ? { ...writing, decimal: '.' } : writing
}

function parseCell({ field }: FileColumn, text: string, writing: Writing, links: FoundLinks): ParsedValue {
  // Whether an empty value is allowed depends on whether the record exists.
  if (text.trim() === '') return { isValid: true, value: null }
  return field.link ? links.idOf(field, text) : readCell(field, text, writing)
}

/** Reads the records that rows match by key, by the key's text. */
async function readRecords(
  { database, table, settings }: PlanOptions,
  rows: readonly FileRow[],
): Promise<ReadonlyMap<string, readonly LocalRow[]>> {
  const { key } = settings
  const records = new Map<string, LocalRow[]>()
  if (!key) return records
  const texts = rows.map((row) => keyText(key, row, settings)).filter((text) => text !== '')
  const like = isNumeric(key.kind)
    ? (value: string) => `cast(${value} as real)`
    : (value: string) => (key.kind === 'email' ? `lower(cast(${value} as text))` : `cast(${value} as text)`)
  const found = await database.getAll<LocalRow>(
    `select * from ${quoteName(table.name)} where ${like(quoteName(key.name))} in (select ${like('value')} from json_each(?))`,
    [JSON.stringify(texts)],
  )
  for (const record of found) {
    const text = foundBy(key, record[key.name] ?? null)
    records.set(text, [...(records.get(text) ?? []), record])
  }
  return records
}

function keyText(key: Field, row: FileRow, settings: ImportSettings): string {
  const column = settings.targets.findIndex((target) => target?.field === key && target.part === 'value')
  const text = (row.cells[column] ?? '').trim()
  if (text === '') return ''
  const parsed = readCell(key, text, writingOf(row, column, settings))
  return foundBy(key, parsed.isValid ? parsed.value : text)
}

/** Returns the ids in the file that existing records already have. */
async function readIds(
  { database, table, settings }: PlanOptions,
  rows: readonly Read[],
): Promise<ReadonlySet<string>> {
  const ids = settings.key?.name === 'id' ? [] : rows.map(givenId).filter((id) => id !== '')
  if (ids.length === 0) return new Set()
  const found = await database.getAll<LocalRow>(
    `select id from ${quoteName(table.name)} where id in (select value from json_each(?))`,
    [JSON.stringify(ids)],
  )
  return new Set(found.map(({ id }) => id))
}

/** Returns the id in a row; empty if there is none. */
function givenId({ raw }: Read): string {
  for (const [{ name }, text] of raw) if (name === 'id') return text.trim().toLowerCase()
  return ''
}

interface PlannedRow {
  readonly row: FileRow
  readonly columns: ReadonlyMap<Field, number>
  readonly issues: readonly Issue[]
  readonly change: RecordChange | undefined
  readonly record: LocalRow | undefined
}

/** The records on this device that rows of the file refer to. */
interface There {
  readonly records: ReadonlyMap<string, readonly LocalRow[]>
  readonly ids: ReadonlySet<string>
}

/** The first row per key and per new id. */
interface Seen {
  readonly keys: Map<string, number>
  readonly ids: Map<string, number>
}

function planRow(read: Read, options: PlanOptions, there: There, seen: Seen): PlannedRow {
  const { row, columns } = read
  const { settings } = options
  const { key } = settings
  const text = key ? keyText(key, row, settings) : ''
  const matches = text === '' ? [] : (there.records.get(text) ?? [])
  const [record] = matches
  // An exported value that is unchanged is accepted, even if no user could enter it.
  const issues = read.issues.filter(({ column }) => {
    const target = column === undefined ? undefined : settings.targets[column]
    return !record || target?.part !== 'value' || !isAsExported(target.field, read, record)
  })
  const column = key && columns.get(key)
  const before = seen.keys.get(text)
  if (matches.length > 1) issues.push({ row, column, reason: words.manyRecords(matches.length) })
  if (text !== '' && before !== undefined) issues.push({ row, column, reason: words.sameKey(before) })
  if (text !== '' && before === undefined) seen.keys.set(text, row.row)
  if (!record && key?.name !== 'id') checkId(read, options, there, seen, issues)
  const change = record ? updateOf(read, options, record, issues) : insertOf(read, options, issues)
  return { row, columns, issues, change, record }
}

/** A new record cannot take the id of another one. */
function checkId(read: Read, { settings }: PlanOptions, there: There, seen: Seen, issues: Issue[]): void {
  const id = givenId(read)
  if (id === '') return
  const { row } = read
  const column = settings.targets.findIndex((target) => target?.field.name === 'id')
  const before = seen.ids.get(id)
  if (there.ids.has(id)) issues.push({ row, column, reason: words.sameId })
  else if (before === undefined) seen.ids.set(id, row.row)
  else issues.push({ row, column, reason: words.sameKey(before) })
}

function isAsExported(field: Field, { raw }: Read, record: LocalRow): boolean {
  return raw.get(field) === exportedText(field, record[field.name] ?? null)
}

function updateOf(read: Read, { table }: PlanOptions, record: LocalRow, issues: Issue[]): RecordChange | undefined {
  const { row, values, columns } = read
  const changed = [...values].filter(
    ([field, value]) =>
      field.isEditable &&
      (field.link !== undefined || !isAsExported(field, read, record)) &&
      !isSameValue(field, record[field.name] ?? null, value),
  )
  for (const [field, value] of changed) {
    if (value === null && !field.column.nullable)
      issues.push({ row, column: columns.get(field), reason: words.needsValue })
  }
  if (!table.descriptor.can.update && changed.length > 0) {
    issues.push({ row, column: undefined, reason: words.mayNotChange })
  }
  if (changed.length === 0) return undefined
  return {
    kind: 'update',
    table: table.name,
    id: record.id,
    values: Object.fromEntries(changed.map(([field, value]) => [field.name, value])),
    before: Object.fromEntries(changed.map(([field]) => [field.name, record[field.name] ?? null])),
  }
}

function insertOf(read: Read, { table, fields, settings }: PlanOptions, issues: Issue[]): RecordChange {
  const { row, values } = read
  const own = [...values].filter(([field, value]) => field.isEditable && value !== null)
  const given = new Set(own.map(([field]) => field.name))
  const columnOf = (field: Field): number => settings.targets.findIndex((target) => target?.field === field)
  const broken = new Set(issues.map(({ column }) => column !== undefined && settings.targets[column]?.field))
  for (const field of fields) {
    if (!field.isRequired || given.has(field.name) || broken.has(field)) continue
    const column = columnOf(field)
    if (column === -1) issues.push({ row, column: undefined, reason: words.missing(field.label) })
    else issues.push({ row, column, reason: words.needsValue })
  }
  if (!table.descriptor.can.insert) issues.push({ row, column: undefined, reason: words.mayNotAdd })
  const id = givenId(read)
  return {
    kind: 'insert',
    table: table.name,
    id: id === '' ? uuidV7() : id,
    values: Object.fromEntries(own.map(([field, value]) => [field.name, value])),
  }
}

/** Evaluates policies for the changes, as far as this device knows them. */
async function judgeSlice(
  { judge, table }: PlanOptions,
  planned: readonly PlannedRow[],
): Promise<readonly PlannedRow[]> {
  const asked = planned.filter(({ issues, change }) => issues.length === 0 && change !== undefined)
  const writes = asked.flatMap(({ change, record }) =>
    change ? [toPlanned(change, record, table.descriptor.columns)] : [],
  )
  const judgements = writes.length === 0 ? [] : await judge(writes)
  const refused = new Map<PlannedRow, Issue>()
  asked.forEach((one, index) => {
    const judgement = judgements[index]
    if (judgement?.kind === 'refused') {
      refused.set(one, { row: one.row, column: undefined, reason: refusalWords(judgement.refusal) })
    }
  })
  return planned.map((one) => {
    const issue = refused.get(one)
    return issue ? { ...one, issues: [issue] } : one
  })
}
