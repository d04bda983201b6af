import type { JSX } from 'react'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useMediaQuery } from '../../../hooks/use-media-query.ts'
import { importMessages } from '../../../messages/import.ts'
import { newTableMessages as words } from '../../../messages/new-table.ts'
import { FileTable } from '../file-table.tsx'
import { choicesAsked } from './choices-of.ts'
import type { linkTables } from '../../../lib/data/link-tables.ts'
import { DEFAULT_SETTINGS } from '../../../lib/fields/new-kinds.ts'
import { markedKindOf, valuesOf } from './propose-table.ts'
import { type Becomes, isLabel, MARKED_KINDS, NEW_KINDS, type TableDraft } from './table-draft.ts'
import { Part } from './part.tsx'
import type { NewTableStep } from './use-new-table.ts'

/** Number of sample values per column. */
const SAMPLES = 3
const SAMPLE_ROWS = 200
const LINK = 'link:'

/** The name and kind of each column of the file, and how many of its values are valid. */
export function FieldRows({
  step,
  tables,
  onChange,
}: {
  readonly step: Extract<NewTableStep, { kind: 'describing' }>
  readonly tables: ReturnType<typeof linkTables>
  readonly onChange: (draft: TableDraft) => void
}): JSX.Element {
  const isNarrow = useMediaQuery('(max-width: 599px)')
  const { file, draft, plan } = step
  const rows = file.header.map((column, at) => {
    const field = draft.fields[at] ?? { label: column, becomes: { kind: 'left_out' } as const }
    const set = (change: Partial<typeof field>): void =>
      onChange({ ...draft, fields: draft.fields.with(at, { ...field, ...change }) })
    const isKept = field.becomes.kind !== 'left_out' && field.becomes.kind !== 'id'
    const fit = plan?.fits[at]
    const { almost } = step.proposed.fields[at] ?? {}
    return {
      column,
      label: isKept ? (
        <TextField
          label={words.labelOf(column)}
          isLabelHidden
          value={field.label}
          onChange={(label) => set({ label })}
          errorMessage={isLabel(field.label) ? undefined : words.labelForm}
          className="tablet:w-36 wide:w-48"
        />
      ) : null,
      becomes: (
        <Select
          label={words.becomesOf(column)}
          isLabelHidden
          options={optionsOf(tables, field.becomes)}
          value={field.becomes.kind === 'link' ? `${LINK}${field.becomes.table}` : field.becomes.kind}
          onChange={(value) => set({ becomes: becomesOf(value, step, at) })}
          description={
            almost && field.becomes.kind !== almost.kind
              ? words.almost(
                  almost.kind === 'link' ? linkLabel(tables, almost.table) : words.kinds[almost.kind],
                  almost.misfit,
                )
              : undefined
          }
          className="tablet:w-40 wide:w-52"
        />
      ),
      fit: fit && field.becomes.kind !== 'left_out' ? importMessages.fitsOf(fit.fit, fit.filled) : '',
      sample: samplesOf(step, at),
    }
  })
  return <Part title={words.fields}>{isNarrow ? <Cards rows={rows} /> : <Rows rows={rows} />}</Part>
}

interface ShownRow {
  readonly column: string
  readonly label: JSX.Element | null
  readonly becomes: JSX.Element
  readonly fit: string
  readonly sample: string
}

function Rows({ rows }: { readonly rows: readonly ShownRow[] }): JSX.Element {
  const titles = [importMessages.column, words.label, words.becomes, importMessages.fits, importMessages.sample]
  return (
    <FileTable label={words.fields} titles={titles}>
      {rows.map(({ column, label, becomes, fit, sample }) => (
        <tr key={column} className="border-t border-border">
          <th scope="row" className="max-w-48 truncate px-3 py-1.5 text-left font-medium">
            {column}
          </th>
          <td className="px-3 py-1.5">{label}</td>
          <td className="px-3 py-1.5">{becomes}</td>
          <td className="px-3 py-1.5 whitespace-nowrap tabular-nums">{fit}</td>
          <td className="max-w-64 truncate px-3 py-1.5 text-muted">{sample}</td>
        </tr>
      ))}
    </FileTable>
  )
}

/** The phone layout: columns stacked, without horizontal scrolling. */
function Cards({ rows }: { readonly rows: readonly ShownRow[] }): JSX.Element {
  return (
    <ul aria-label={words.fields} className="divide-y divide-border rounded-md border border-border">
      {rows.map(({ column, label, becomes, fit, sample }) => (
        <li key={column} className="flex flex-col gap-2 px-3 py-2.5">
          <p className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 truncate font-medium">{column}</span>
            <span className="shrink-0 text-small text-muted tabular-nums">{fit}</span>
          </p>
          {label}
          {becomes}
          {sample === '' ? null : <p className="truncate text-small text-muted">{sample}</p>}
        </li>
      ))}
    </ul>
  )
}

function optionsOf(
  tables: ReturnType<typeof linkTables>,
  becomes: Becomes,
): readonly { readonly value: string; readonly label: string }[] {
  const plain = (kind: keyof typeof words.kinds): { value: string; label: string } => ({
    value: kind,
    label: words.kinds[kind],
  })
  return [
    plain('left_out'),
    ...NEW_KINDS.map(plain),
    {
      value: 'currency',
      label: becomes.kind === 'currency' ? words.currencyOf(becomes.settings.code) : words.kinds.currency,
    },
    plain('percent'),
    ...tables.map(({ name }) => ({ value: `${LINK}${name}`, label: linkLabel(tables, name) })),
    plain('id'),
  ]
}

function linkLabel(tables: ReturnType<typeof linkTables>, table: string): string {
  return words.linkTo(tables.find(({ name }) => name === table)?.label ?? table)
}

/** Returns the user's choice of kind; a choice field takes the column's words. */
function becomesOf(
  value: string,
  { file, proposed }: Extract<NewTableStep, { kind: 'describing' }>,
  at: number,
): Becomes {
  if (value.startsWith(LINK)) return { kind: 'link', table: value.slice(LINK.length) }
  if (value === 'choice') {
    const offered = proposed.fields[at]?.becomes
    return offered?.kind === 'choice' ? offered : { kind: 'choice', choices: choicesAsked(valuesOf(file, at).all) }
  }
  const marked = MARKED_KINDS.find((one) => one === value)
  if (marked !== undefined) {
    const found = markedKindOf(valuesOf(file, at).all)
    return found?.kind === marked ? found : { kind: marked, settings: DEFAULT_SETTINGS }
  }
  const kind = [...NEW_KINDS, 'id' as const].find((one) => one === value)
  return kind === undefined || kind === 'choice' ? { kind: 'left_out' } : { kind }
}

function samplesOf({ file: { rows } }: Extract<NewTableStep, { kind: 'describing' }>, at: number): string {
  const texts = rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells[at]?.trim() ?? '')
  return [...new Set(texts.filter((text) => text !== ''))].slice(0, SAMPLES).join(', ')
}
