import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { ENCODINGS } from '../../lib/exchange/decode-text.ts'
import { DELIMITERS, type FileRow, type Head, type ReadAs } from '../../lib/exchange/opened-file.ts'
import type { FieldKind } from '../../lib/fields/field-kind.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { Writing } from './import-settings.ts'
import type { ParsedFile } from './parse-file.ts'

/** Chooses what of a file is read: the sheet of an XLSX, the encoding and delimiter of a text, and the rows with the columns' names. */
export function ReadingChoices({
  file,
  readAgain,
}: {
  readonly file: ParsedFile
  readonly readAgain: (readAs: ReadAs) => void
}): JSX.Element {
  const { text, sheets, head, top } = file
  const options = headsOf(top, head)
  // Other cells may have another head.
  const asNow: ReadAs = { ...text, sheet: sheets?.chosen }
  return (
    <>
      {sheets && sheets.all.length > 1 ? (
        <Select
          label={words.sheet}
          options={sheets.all.map(({ name, isHidden }) => ({
            value: name,
            label: isHidden ? words.hiddenSheet(name) : name,
          }))}
          value={sheets.chosen}
          onChange={(sheet) => readAgain({ sheet })}
        />
      ) : null}
      <TextChoices file={file} readAgain={readAgain} />
      <Select
        label={words.head}
        options={options.map(({ value, label }) => ({ value, label }))}
        value={keyOf(head)}
        onChange={(next) => readAgain({ ...asNow, head: options.find(({ value }) => value === next)?.head })}
      />
    </>
  )
}

/** Cells of a row that its option names, and characters of each. */
const NAMED_CELLS = 3
const NAMED_CHARACTERS = 16

interface HeadOption {
  readonly value: string
  readonly label: string
  readonly head: Head
}

/** Returns each of the first rows as head, and the chosen one if it has two lines. */
function headsOf(top: ParsedFile['top'], chosen: Head): readonly HeadOption[] {
  const textOf = ({ cells }: FileRow): string => {
    const texts = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
    return texts
      .slice(0, NAMED_CELLS)
      .map((text) => (text.length > NAMED_CHARACTERS ? `${text.slice(0, NAMED_CHARACTERS)}…` : text))
      .join(', ')
  }
  const option = (head: Head, label: string): HeadOption => ({ value: keyOf(head), label, head })
  return [
    ...top.flatMap((row) => {
      const next = top.find((one) => one.row === row.row + 1)
      const one = option({ row: row.row, lines: 1 }, words.headAt(row.row, textOf(row)))
      const isNamed = next && (next.cells.every((cell) => !/\d/.test(cell)) || chosen.row === row.row)
      return isNamed ? [one, option({ row: row.row, lines: 2 }, words.headAtTwo(row.row, textOf(row)))] : [one]
    }),
    option({ row: 0, lines: 0 }, words.noHead),
  ]
}

function keyOf({ row, lines }: Head): string {
  return `${row}/${lines}`
}

/** Chooses how a text file is split into cells. */
function TextChoices({
  file,
  readAgain,
}: {
  readonly file: ParsedFile
  readonly readAgain: (readAs: ReadAs) => void
}): JSX.Element | null {
  const { text } = file
  if (!text) return null
  return (
    <>
      <Select
        label={words.encoding}
        options={ENCODINGS.map((value) => ({ value, label: words.encodings[value] }))}
        value={text.encoding}
        onChange={(next) => readAgain({ ...text, encoding: ENCODINGS.find((one) => one === next) })}
      />
      <Select
        label={words.delimiter}
        options={DELIMITERS.map((value) => ({ value, label: words.delimiters[value] }))}
        value={text.delimiter}
        onChange={(next) => readAgain({ ...text, delimiter: DELIMITERS.find((one) => one === next) })}
      />
    </>
  )
}

/** Chooses the number and date formats, if the file has any numbers or dates. */
export function WritingChoices({
  kinds,
  writing,
  onChange,
}: {
  /** Kinds of the filled fields. */
  readonly kinds: Pick<ReadonlySet<FieldKind>, 'has'>
  readonly writing: Writing
  readonly onChange: (writing: Writing) => void
}): JSX.Element {
  return (
    <>
      {kinds.has('number') || kinds.has('integer') ? (
        <Select
          label={words.decimal}
          options={(['.', ','] as const).map((value) => ({ value, label: words.decimals[value] }))}
          value={writing.decimal}
          onChange={(next) => onChange({ ...writing, decimal: next === ',' ? ',' : '.' })}
        />
      ) : null}
      {kinds.has('date') || kinds.has('datetime') ? (
        <Select
          label={words.dayOrder}
          options={(['dmy', 'mdy'] as const).map((value) => ({ value, label: words.dayOrders[value] }))}
          value={writing.dayFirst ? 'dmy' : 'mdy'}
          onChange={(next) => onChange({ ...writing, dayFirst: next === 'dmy' })}
        />
      ) : null}
    </>
  )
}
