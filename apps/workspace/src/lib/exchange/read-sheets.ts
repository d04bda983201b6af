import { readXml } from 'hucre/xml'
import { type Merge } from './find-head.ts'
import { PaddedCells, type PaddedFormat } from './padded-numbers.ts'
import { unpackText, type ZipEntry } from './read-zip.ts'

/** A worksheet and where it is in the file. */
export interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  readonly path: string
}

type Entries = ReadonlyMap<string, ZipEntry>

/** Returns the worksheets of an XLSX in the order of its tabs. Sheets of charts, dialogs and macros have no cells and are left out. */
export async function readSheets(bytes: Uint8Array, entries: Entries): Promise<readonly SheetEntry[]> {
  const partOf = async (folder: string, name: string): Promise<ReadonlyMap<string, Relation>> =>
    readRelations(await textOf(bytes, entries, `${folder}_rels/${name}.rels`), folder)
  const root = await partOf('', '')
  const workbook = [...root.values()].find(({ type }) => type === 'officeDocument')?.path ?? 'xl/workbook.xml'
  const at = workbook.lastIndexOf('/') + 1
  const relations = await partOf(workbook.slice(0, at), workbook.slice(at))
  const [list = ''] = /<(?:\w+:)?sheets\b[^]*?<\/(?:\w+:)?sheets>/.exec(await textOf(bytes, entries, workbook)) ?? []
  return elements(list, 'sheet').flatMap((sheet) => {
    const id = Object.entries(sheet).find(([name]) => /:id$/i.test(name))?.[1]
    const relation = relations.get(id ?? '')
    if (relation?.type !== 'worksheet') return []
    return [{ name: sheet['@name'] ?? '', isHidden: /hidden/i.test(sheet['@state'] ?? ''), path: relation.path }]
  })
}

interface Relation {
  /** The last part of its URI, which differs between two versions of the standard. */
  readonly type: string
  readonly path: string
}

function readRelations(xml: string, folder: string): ReadonlyMap<string, Relation> {
  return new Map(
    elements(xml, 'Relationship').map((one) => {
      const target = one['@Target'] ?? ''
      // Resolves `../` and leading slashes.
      const path = new URL(target, `file:///${folder}`).pathname.slice(1)
      return [one['@Id'] ?? '', { type: (one['@Type'] ?? '').split('/').at(-1) ?? '', path: decodeURIComponent(path) }]
    }),
  )
}

function elements(xml: string, name: string): readonly Readonly<Record<string, string | undefined>>[] {
  if (xml === '') return []
  return readXml(xml, { rowTag: name }).data.map((one) =>
    Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value === null ? undefined : String(value)])),
  )
}

async function textOf(bytes: Uint8Array, entries: Entries, path: string): Promise<string> {
  const entry = entries.get(path)
  let text = ''
  if (entry) for await (const part of unpackText(bytes, entry)) text += part
  return text
}

/** What the rows of a sheet do not show. */
export interface SheetFacts {
  /** Merged cells at the top, by which the head is found. */
  readonly merges: readonly Merge[]
  /** Cells merged over several rows, in the order of their rows. */
  readonly tall: readonly Merge[]
  readonly padded: PaddedCells
  readonly unsaved: number
  readonly hiddenRows: number
  /** Ranges of columns from 0, both ends included. */
  readonly hiddenColumns: readonly (readonly [from: number, to: number])[]
}

/** Merged cells below this row do not belong to a head. */
const MERGE_ROWS = 60
/** Limit of cells merged over several rows. */
const TALL_MAX = 100_000
/** The third group is `<` if nothing stands between this tag and the next. */
const TAG = /<(?:\w+:)?(row|col|c|f|v|is|mergeCell|\/c)\b([^>]*)>(?=(<?))/g

/** Scans the tags of a sheet; the library that reads its rows does not tell these facts. */
export async function readSheetFacts(
  bytes: Uint8Array,
  entry: ZipEntry,
  styles: ReadonlyMap<number, PaddedFormat>,
): Promise<SheetFacts> {
  const merges: Merge[] = []
  const tall: Merge[] = []
  const padded = new PaddedCells()
  const place = { row: 0, column: -1 }
  const hiddenColumns: (readonly [number, number])[] = []
  let unsaved = 0
  let hiddenRows = 0
  let isHiddenRow = false
  let hasFormula = false
  let hasValue = false
  let isText = false
  const read = (tag: string, attributes: string, next: string): void => {
    if (tag === 'c') {
      hasFormula = hasValue = false
      isText = /\bt\s*=\s*["']str["']/.test(attributes)
      if (styles.size > 0) pad(attributes, place, styles, padded)
    } else if (tag === 'f') hasFormula = true
    else if (tag === 'v' || tag === 'is') {
      // An empty value is the result of a formula only if it is a text.
      hasValue = tag === 'is' || isText || next === ''
      if (isHiddenRow) hiddenRows += 1
      isHiddenRow = false
    } else if (tag === '/c') unsaved += Number(hasFormula && !hasValue)
    else if (tag === 'row') {
      isHiddenRow = isHidden(attributes)
      place.row = numberIn(attributes, 'r') || place.row + 1
      place.column = -1
    } else if (tag === 'col') {
      if (isHidden(attributes)) hiddenColumns.push([numberIn(attributes, 'min') - 1, numberIn(attributes, 'max') - 1])
    } else {
      const merge = readMerge(attributes)
      if (merge && merge.fromRow <= MERGE_ROWS) merges.push(merge)
      if (merge && merge.toRow > merge.fromRow && tall.length < TALL_MAX) tall.push(merge)
    }
  }
  for await (const tags of readTags(bytes, entry))
    for (const [, tag = '', attributes = '', next = ''] of tags) read(tag, attributes, next)
  return { merges, tall: tall.toSorted((a, b) => a.fromRow - b.fromRow), padded, unsaved, hiddenRows, hiddenColumns }
}

/** The tags of a sheet, part by part. */
async function* readTags(bytes: Uint8Array, entry: ZipEntry): AsyncGenerator<Iterable<RegExpMatchArray>> {
  let rest = ''
  for await (const part of unpackText(bytes, entry)) {
    rest += part
    const end = rest.lastIndexOf('<')
    if (end <= 0) continue
    yield rest.slice(0, end + 1).matchAll(TAG)
    rest = rest.slice(end)
  }
}

/** Notes a cell whose numbers have a fixed number of digits. */
function pad(
  attributes: string,
  place: { readonly row: number; column: number },
  styles: ReadonlyMap<number, PaddedFormat>,
  padded: PaddedCells,
): void {
  const [, letters] = /\br\s*=\s*["']([A-Z]{1,3})\d+["']/.exec(attributes) ?? []
  place.column = letters === undefined ? place.column + 1 : columnAt(letters)
  const format = styles.get(numberIn(attributes, 's'))
  if (format) padded.add(place.row, place.column, format)
}

/** Returns the text of the styles of all sheets; empty if there are none. */
export async function readStyles(bytes: Uint8Array, entries: Entries): Promise<string> {
  const path = [...entries.keys()].find((one) => /(^|\/)styles\.xml$/i.test(one))
  return path === undefined ? '' : textOf(bytes, entries, path)
}

function isHidden(attributes: string): boolean {
  return /\bhidden\s*=\s*["'](?:1|true)["']/.test(attributes)
}

function numberIn(attributes: string, name: string): number {
  return Number(new RegExp(`\\b${name}\\s*=\\s*["'](\\d+)["']`).exec(attributes)?.[1] ?? 0)
}

function readMerge(attributes: string): Merge | undefined {
  const [, from = '', fromRow, to = '', toRow] =
    /\bref\s*=\s*["']([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)["']/.exec(attributes) ?? []
  if (fromRow === undefined) return undefined
  return { fromRow: Number(fromRow), toRow: Number(toRow), fromColumn: columnAt(from), toColumn: columnAt(to) }
}

function columnAt(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
