import type { LocalDatabase } from '@holdfast/client'
import { showToast, type ToastContent } from '../../components/toast.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { CHANGES_MAX } from '../../lib/records/apply-command.ts'
import { tableSql } from '../../lib/fields/table-sql.ts'
import { useUndo } from '../../lib/records/create-record-writer.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { pasteMessages as words } from '../../messages/paste.ts'
import { recordMessages } from '../../messages/record.ts'
import { changesLeft } from './changes-left.ts'
import type { CellChanges } from './edit-changes.ts'
import type { ChosenRows, GridEditsOptions } from './grid-edits.ts'
import { columnsSql } from './query/grid-query.ts'
import { readRange } from './range-rows.ts'
import type { CellRange } from './selection.ts'
import type { GridRow } from './window-cache.ts'

/** Changes shown optimistically, before the database reports them. The rest follows within moments. */
const PATCHES_MAX = 200

/** Rows and fields of a range, with functions that write to them. */
export interface BulkContext extends GridEditsOptions, Pick<LocalDatabase, 'database' | 'judge'> {
  fieldsOf(range: CellRange): readonly Field[]
  /** @returns `undefined` if there are none, or too many, which the user is told */
  rowsOf(chosen: ChosenRows): Promise<readonly GridRow[] | undefined>
  /** Writes changes of cells as one command, after the user has seen which of them are refused. */
  writeCells(labelOf: (cells: number) => string, cells: CellChanges, rows: readonly GridRow[]): Promise<void>
}

export function createBulkContext(
  { database, judge }: Pick<LocalDatabase, 'database' | 'judge'>,
  options: GridEditsOptions,
): BulkContext {
  const { table, shown, windows } = options
  return {
    ...options,
    database,
    judge,
    fieldsOf: (range) => shown.slice(range.firstColumn, range.lastColumn + 1),
    async rowsOf(chosen) {
      const rows = await ('ids' in chosen ? readChosen(database, options, chosen.ids) : readRange(windows, chosen))
      // A range may consist of group headers only.
      if (rows !== 'too_many') return rows.length === 0 ? undefined : rows
      showToast({ text: words.editTooMany(CHANGES_MAX) })
      return undefined
    },
    async writeCells(labelOfCells, cells, rows) {
      const labelOf = (changes: readonly RecordChange[]): string => labelOfCells(countCells(changes))
      await writeChanges(options, labelOf, await changesLeft({ judge, table, labelOf }, cells, rows))
    },
  }
}

/** Reads records by id, with the titles of links. Records that are no longer on the device are left out. */
async function readChosen(
  database: LocalDatabase['database'],
  { table, fields }: GridEditsOptions,
  ids: ReadonlySet<string>,
): Promise<readonly GridRow[] | 'too_many'> {
  if (ids.size > CHANGES_MAX) return 'too_many'
  const { text } = columnsSql({ fields })
  return database.getAll<GridRow>(
    `select ${text} from json_each(?) page cross join ${tableSql({ table: table.name, fields })} on t.id = page.value order by page.key`,
    [JSON.stringify([...ids])],
  )
}

/** Writes changes as one command and reports how many cells were changed. */
async function writeChanges(
  { windows, writer }: Pick<GridEditsOptions, 'windows' | 'writer'>,
  labelOf: (changes: readonly RecordChange[]) => string,
  changes: readonly RecordChange[],
): Promise<void> {
  if (changes.length === 0) return
  for (const change of changes.slice(0, PATCHES_MAX)) {
    if (change.kind === 'update') windows?.patch(change.id, change.values)
  }
  if (await writer.write({ label: labelOf(changes), changes, byRecord: true })) {
    const cells = countCells(changes)
    if (cells > 1) showToast({ text: words.changed(cells), action: undoOfLast(writer) })
    return
  }
  for (const change of changes.slice(0, PATCHES_MAX)) {
    if (change.kind === 'update') windows?.patch(change.id, change.before)
  }
}

/** Returns the action that undoes the last command, unless another one was made since. */
export function undoOfLast(writer: GridEditsOptions['writer']): NonNullable<ToastContent['action']> {
  const command = useUndo.getState().stack.done.at(-1)
  return {
    label: recordMessages.undo,
    run() {
      if (useUndo.getState().stack.done.at(-1) === command) void writer.undo()
      else showToast({ text: recordMessages.undoLaterFirst })
    },
  }
}

function countCells(changes: readonly RecordChange[]): number {
  return changes.reduce((sum, { values }) => sum + Object.keys(values).length, 0)
}
