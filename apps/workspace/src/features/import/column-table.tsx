import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import type { FileColumn } from '../../lib/exchange/file-columns.ts'
import type { Field } from '../../lib/fields/field.ts'
import { importMessages as words } from '../../messages/import.ts'
import { detectWriting, type ImportSettings, keysOf, targetsOf } from './import-settings.ts'
import { FileTable } from './file-table.tsx'
import type { ParsedFile } from './parse-file.ts'
import type { ImportPlan } from './plan-import.ts'

const LEFT_OUT = ''
/** Number of sample values per column. */
const SAMPLES = 3
const SAMPLE_ROWS = 200
/** Rows from which formats are detected again; more would keep the page from reacting. */
const WRITING_ROWS = 20_000

/** Where each column of the file goes, and how many of its values are valid. */
export function ColumnTable({
  fields,
  file,
  settings,
  fits,
  onChange,
}: {
  readonly fields: readonly Field[]
  readonly file: ParsedFile
  readonly settings: ImportSettings
  /** `undefined`: being checked. */
  readonly fits: ImportPlan['fits'] | undefined
  readonly onChange: (settings: ImportSettings) => void
}): JSX.Element {
  const isNarrow = useMediaQuery('(max-width: 599px)')
  const targets = targetsOf(fields)
  const options = [
    { value: LEFT_OUT, label: words.leftOut },
    ...targets.map((target) => ({ value: target.header, label: labelOf(target) })),
  ]
  const choose = (column: number, header: string): void => {
    const chosen = targets.find((target) => target.header === header)
    // A field takes one column, so its previous column is dropped.
    const next = settings.targets.map((target, at) =>
      at === column ? chosen : target?.header === chosen?.header ? undefined : target,
    )
    const key = keysOf(next).find(({ name }) => name === settings.key?.name)
    onChange({ targets: next, key, writing: detectWriting(next, file.rows.slice(0, WRITING_ROWS)) })
  }
  const columns = file.header.map((name, column) => {
    const fit = fits?.[column]
    return {
      name,
      becomes: (
        <Select
          label={words.becomesOf(name)}
          isLabelHidden
          options={options}
          value={settings.targets[column]?.header ?? LEFT_OUT}
          onChange={(header) => choose(column, header)}
          className="tablet:w-56"
        />
      ),
      fit: fit && settings.targets[column] ? words.fitsOf(fit.fit, fit.filled) : '',
      sample: samplesOf(file, column),
    }
  })
  return isNarrow ? <ColumnCards columns={columns} /> : <ColumnRows columns={columns} />
}

interface ShownColumn {
  readonly name: string
  /** The column's target. */
  readonly becomes: JSX.Element
  readonly fit: string
  readonly sample: string
}

function ColumnRows({ columns }: { readonly columns: readonly ShownColumn[] }): JSX.Element {
  return (
    <FileTable label={words.fields} titles={[words.column, words.becomes, words.fits, words.sample]}>
      {columns.map(({ name, becomes, fit, sample }) => (
        <tr key={name} className="border-t border-border">
          <th scope="row" className="max-w-48 truncate px-3 py-1.5 text-left font-medium">
            {name}
          </th>
          <td className="px-3 py-1.5">{becomes}</td>
          <td className="px-3 py-1.5 whitespace-nowrap tabular-nums">{fit}</td>
          <td className="max-w-64 truncate px-3 py-1.5 text-muted">{sample}</td>
        </tr>
      ))}
    </FileTable>
  )
}

/** The phone layout: columns stacked, without horizontal scrolling. */
function ColumnCards({ columns }: { readonly columns: readonly ShownColumn[] }): JSX.Element {
  return (
    <ul aria-label={words.fields} className="divide-y divide-border rounded-md border border-border">
      {columns.map(({ name, becomes, fit, sample }) => (
        <li key={name} className="flex flex-col gap-1.5 px-3 py-2.5">
          <p className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 truncate font-medium">{name}</span>
            <span className="shrink-0 text-small text-muted tabular-nums">{fit}</span>
          </p>
          {becomes}
          {sample === '' ? null : <p className="truncate text-small text-muted">{sample}</p>}
        </li>
      ))}
    </ul>
  )
}

function labelOf({ field, part, header }: FileColumn): string {
  return field.link && part === 'title' ? words.titleOf(header) : header
}

function samplesOf({ rows }: ParsedFile, column: number): string {
  const texts = rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells[column]?.trim() ?? '')
  return [...new Set(texts.filter((text) => text !== ''))].slice(0, SAMPLES).join(', ')
}
