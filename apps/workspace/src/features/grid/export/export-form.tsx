import type { LocalDatabase } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { Printer } from 'lucide-react'
import { type JSX, useState } from 'react'
import { create } from 'zustand'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { LinkButton } from '../../../components/link.tsx'
import { Progress } from '../../../components/progress.tsx'
import { RadioGroup } from '../../../components/radio-group.tsx'
import { showToast } from '../../../components/toast.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { fileColumnsOf } from '../../../lib/exchange/file-columns.ts'
import { CellTooLong, type FileFormat } from '../../../lib/exchange/render-records.ts'
import { dayOf } from '../../../lib/fields/dates.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { saveBlob } from '../../../lib/save-file.ts'
import { exportMessages as words } from '../../../messages/export.ts'
import { printMessages } from '../../../messages/print.ts'
import { parseSorts } from '../query/sort.ts'
import type { ViewShape } from '../use-grid-view.ts'
import { exportView } from './export-view.ts'

export interface ExportProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly view: ViewShape
  /** Only these records; `undefined`: those of the view. */
  readonly ids?: readonly string[]
}

/** State of the export, which continues while the form is closed. */
const useRunning = create<{
  readonly running: { readonly done: number; readonly total: number; readonly cancel: () => void } | undefined
  /** Why the last export produced no file, and its table. */
  readonly problem: { readonly table: string; readonly text: string } | undefined
}>(() => ({ running: undefined, problem: undefined }))

interface ExportChoice {
  readonly format: FileFormat
  readonly which: 'shown' | 'all'
  /** With the ids of records and of linked records, by which an import finds them again. */
  readonly hasIds: boolean
}

/** Creates the file and saves it for the user. Reports the result in the form or as a toast. */
async function runExport(
  database: LocalDatabase['database'],
  { table, fields, view, ids: only }: ExportProps,
  { format, which, hasIds }: ExportChoice,
): Promise<void> {
  const abort = new AbortController()
  const cancel = (): void => abort.abort()
  useRunning.setState({ running: { done: 0, total: 0, cancel }, problem: undefined })
  try {
    const chosen = which === 'shown' ? view.shown : hasIds ? fields : fields.filter(({ kind }) => kind !== 'uuid')
    const ids = hasIds ? fields.filter((field) => field.name === 'id' && !chosen.includes(field)) : []
    const { file, records } = await exportView({
      database,
      query: view.query,
      ids: only,
      groups: parseSorts(view.settings.group),
      columns: fileColumnsOf(fields, [...chosen, ...ids], hasIds),
      format,
      title: table.label,
      signal: abort.signal,
      onProgress: (done, total) => useRunning.setState({ running: { done, total, cancel } }),
    })
    const name = [table.label, view.saved?.name, dayOf(new Date())].filter((part) => part !== undefined).join(' – ')
    saveBlob(`${name.replace(/[\\/]/g, ' ')}.${format}`, file)
    showToast({ text: words.done(records, table.noun, table.many) })
  } catch (error) {
    if (abort.signal.aborted) return
    console.warn('The view could not be exported.', error)
    const text = error instanceof CellTooLong ? words.tooLong(error.header) : words.failed
    useRunning.setState({ problem: { table: table.name, text } })
  } finally {
    useRunning.setState({ running: undefined })
  }
}

/** Leads to the view as a document. */
function PrintLink({ table, view, ws }: Pick<ExportProps, 'table' | 'view'> & { readonly ws: string }): JSX.Element {
  const { record: _, tab: __, ...address } = useSearch({ from: '/signed-in/w/$ws/t/$table' })
  return (
    <LinkButton
      size="sm"
      to="/w/$ws/t/$table/print"
      params={{ ws, table: table.name }}
      search={{ ...address, v: view.saved?.id }}
      className="self-start"
    >
      <Printer size={16} aria-hidden />
      {printMessages.open}
    </LinkButton>
  )
}

/** Exports the view's records as a file. */
export function ExportForm(props: ExportProps): JSX.Element {
  const { database } = useLocalDatabase()
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const { can } = props.table.descriptor
  const [format, setFormat] = useState<FileFormat>('csv')
  const [which, setWhich] = useState<ExportChoice['which']>('shown')
  const [hasIds, setIds] = useState(false)
  const { running, problem } = useRunning()

  return (
    <div className="flex flex-col gap-4">
      <RadioGroup
        label={words.format}
        value={format}
        onChange={setFormat}
        options={[
          { value: 'csv', label: 'CSV' },
          { value: 'xlsx', label: 'XLSX' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      <RadioGroup
        label={words.fields}
        value={which}
        onChange={setWhich}
        options={[
          { value: 'shown', label: words.shown },
          { value: 'all', label: words.all },
        ]}
      />
      <Checkbox isSelected={hasIds} onChange={setIds}>
        {words.withIds}
      </Checkbox>
      {props.ids === undefined ? <p className="text-small text-muted">{words.detail}</p> : null}
      {problem?.table === props.table.name ? (
        <p role="alert" className="text-small text-danger">
          {problem.text}
        </p>
      ) : null}
      {running ? (
        <div className="flex flex-col gap-3">
          <Progress
            label={words.running}
            value={running.done}
            total={running.total}
            valueText={words.progress(running.done, running.total)}
          />
          <Button size="sm" onPress={running.cancel} className="self-start">
            {words.cancel}
          </Button>
        </div>
      ) : null}
      {props.ids === undefined ? <PrintLink table={props.table} view={props.view} ws={ws} /> : null}
      <div className="flex flex-wrap items-center justify-between gap-3">
        {/* Stays mounted so that it keeps the focus. */}
        <Button
          tone="primary"
          size="sm"
          isPending={running !== undefined}
          onPress={() => void runExport(database, props, { format, which, hasIds })}
        >
          {words.run}
        </Button>
        {props.ids === undefined && (can.insert || can.update) ? (
          <Link to="/w/$ws/import" params={{ ws }} search={{ table: props.table.name }} className="text-small">
            {words.toImport}
          </Link>
        ) : null}
      </div>
    </div>
  )
}
