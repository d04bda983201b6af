import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { ENCODINGS } from '../../lib/exchange/decode-text.ts'
import { DELIMITERS, type ReadAs } from '../../lib/exchange/open-file.ts'
import type { FieldKind } from '../../lib/fields/field-kind.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { Writing } from './import-settings.ts'
import type { ParsedFile } from './parse-file.ts'

/** Chooses how a text file is split into cells. An XLSX file defines that itself. */
export function ReadingChoices({
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
