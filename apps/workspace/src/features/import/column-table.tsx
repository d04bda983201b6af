import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import type { FileColumn } from '../../lib/exchange/file-columns.ts'
import type { Field } from '../../lib/fields/field.ts'
import { importMessages as words } from '../../messages/import.ts'
import { detectWriting, type ImportSettings, keysOf, targetsOf } from './import-settings.ts'
import { FileTable } from './file-table.tsx'
import type { ParsedFile } from './parse-file.ts'
import type { ImportPlan } from './plan-import.ts'

const LEFT_OUT = ''
/** Values that show what is in a column. */
const SAMPLES = 3
const SAMPLE_ROWS = 200

/** What becomes of each column of the file, and how much of it fits. */
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
  const targets = targetsOf(fields)
  const options = [
    { value: LEFT_OUT, label: words.leftOut },
    ...targets.map((target) => ({ value: target.header, label: labelOf(target) })),
  ]
  const choose = (column: number, header: string): void => {
    const chosen = targets.find((target) => target.header === header)
    // A field has one column; the one that had it is left out.
    const next = settings.targets.map((target, at) =>
      at === column ? chosen : target?.header === chosen?.header ? undefined : target,
    )
    const key = keysOf(next).find(({ name }) => name === settings.key?.name)
    onChange({ targets: next, key, writing: detectWriting(next, file.rows.slice(0, SAMPLE_ROWS)) })
  }
  return (
    <FileTable label={words.fields} titles={[words.column, words.becomes, words.fits, words.sample]}>
      {file.header.map((name, column) => {
        const fit = fits?.[column]
        return (
          <tr key={name} className="border-t border-border">
            <th scope="row" className="max-w-48 truncate px-3 py-1.5 text-left font-medium">
              {name}
            </th>
            <td className="px-3 py-1.5">
              <Select
                label={words.becomesOf(name)}
                isLabelHidden
                options={options}
                value={settings.targets[column]?.header ?? LEFT_OUT}
                onChange={(header) => choose(column, header)}
                className="w-56"
              />
            </td>
            <td className="px-3 py-1.5 whitespace-nowrap tabular-nums">
              {fit && settings.targets[column] ? words.fitsOf(fit.fit, fit.filled) : ''}
            </td>
            <td className="max-w-64 truncate px-3 py-1.5 text-muted">{samplesOf(file, column)}</td>
          </tr>
        )
      })}
    </FileTable>
  )
}

function labelOf({ field, part, header }: FileColumn): string {
  return field.link && part === 'title' ? words.titleOf(header) : header
}

function samplesOf({ rows }: ParsedFile, column: number): string {
  const texts = rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells[column]?.trim() ?? '')
  return [...new Set(texts.filter((text) => text !== ''))].slice(0, SAMPLES).join(', ')
}
