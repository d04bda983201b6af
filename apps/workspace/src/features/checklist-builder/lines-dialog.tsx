import { FileSpreadsheet } from 'lucide-react'
import { type JSX, useState } from 'react'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { openFile } from '../../lib/exchange/open-file.ts'
import { FileProblem } from '../../lib/exchange/opened-file.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import { type DraftEntry, entriesFromLines } from './builder-draft.ts'

interface Columns {
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Rows of a file that are offered as questions. */
const ROWS_MAX = 1_000

/** Adds pasted lines, or a column of a spreadsheet, as questions. */
export function LinesDialog({
  room,
  onAdd,
  onClose,
}: {
  /** How many questions can be added. */
  readonly room: number
  readonly onAdd: (entries: readonly DraftEntry[]) => void
  readonly onClose: () => void
}): JSX.Element {
  const [text, setText] = useState('')
  const [columns, setColumns] = useState<Columns>()
  const [column, setColumn] = useState(0)
  const [hasFailed, setFailed] = useState(false)
  const entries = entriesFromLines(text)
  const count = entries.filter(({ type }) => type === 'question').length
  const take = (from: Columns, at: number): void => {
    setColumn(at)
    setText(from.rows.map((row) => row[at] ?? '').join('\n'))
  }
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return
    setFailed(false)
    try {
      const found = await readColumns(file)
      setColumns(found)
      take(found, widest(found))
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error
      setFailed(true)
    }
  }
  return (
    <FormDialog
      title={words.addLines}
      submitLabel={words.addCount(Math.min(count, room))}
      size="md"
      isPending={false}
      isDisabled={count === 0}
      onSubmit={() => onAdd(within(entries, room))}
      onClose={onClose}
    >
      <TextField
        label={words.linesLabel}
        description={words.linesHelp}
        rows={10}
        value={text}
        onChange={setText}
        // The dialog opens for this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
      />
      <div className="flex flex-wrap items-end gap-3">
        <FileTrigger acceptedFileTypes={['.csv', '.tsv', '.txt', '.xlsx']} onSelect={(files) => void read(files?.[0])}>
          <Button icon={<FileSpreadsheet size={16} aria-hidden />}>{words.file}</Button>
        </FileTrigger>
        {columns && columns.names.length > 1 ? (
          <Select
            label={words.column}
            className="min-w-40 flex-1"
            value={String(column)}
            options={columns.names.map((name, at) => ({
              value: String(at),
              label: name === '' ? words.columnAt(at + 1) : name,
            }))}
            onChange={(at) => take(columns, Number(at))}
          />
        ) : null}
      </div>
      {hasFailed ? (
        <p role="alert" className="text-small text-danger">
          {words.fileProblem}
        </p>
      ) : null}
    </FormDialog>
  )
}

/** @throws {FileProblem} */
async function readColumns(file: File): Promise<Columns> {
  const opened = await openFile(new Uint8Array(await file.arrayBuffer()))
  const rows: (readonly string[])[] = []
  for await (const { cells } of opened.rows) {
    rows.push(cells)
    if (rows.length === ROWS_MAX) break
  }
  // A file whose only column has no heading has its first question there.
  const isPlain = opened.header.length === 1
  return isPlain ? { names: [''], rows: [opened.header, ...rows] } : { names: opened.header, rows }
}

/** Returns the index of the column with the longest texts, which are most likely the questions. */
function widest({ names, rows }: Columns): number {
  const lengths = names.map((_, at) => rows.reduce((sum, row) => sum + (row[at]?.length ?? 0), 0))
  return lengths.indexOf(Math.max(...lengths))
}

function within(entries: readonly DraftEntry[], room: number): readonly DraftEntry[] {
  let count = 0
  return entries.filter(({ type }) => type === 'section' || ++count <= room)
}
