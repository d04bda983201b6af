import { useLocalDatabase } from '@holdfast/react'
import { showToast } from '../../components/toast.tsx'
import type { FieldValue } from '../../lib/fields/field.ts'
import { FULL } from '../../lib/records/not-stored.ts'
import { errorMessages } from '../../messages/errors.ts'
import { recordMessages } from '../../messages/record.ts'
import { changeRow } from './change-row.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { BulkEdits, GridEdits, GridEditsOptions } from './grid-edits.ts'
import type { GridRow } from './window-cache.ts'

export function useGridEdits(options: GridEditsOptions): GridEdits {
  const local = useLocalDatabase()
  const { table, windows, writer } = options

  async function withBulk<Result>(run: (bulk: BulkEdits) => Promise<Result>): Promise<Result | undefined> {
    let bulk: BulkEdits
    try {
      const { createBulkEdits, Questions } = await import('./bulk-edits.ts')
      options.onQuestions(Questions)
      bulk = createBulkEdits(local, options)
    } catch (error) {
      console.info(error)
      showToast({ text: errorMessages.partNotLoaded })
      return undefined
    }
    return run(bulk)
  }

  return {
    async setCell(row, field, value, label, isUnjudged = false) {
      const changes = changeRow(table.name, row, { [field.name]: value })
      if (changes.length === 0) return undefined
      const labels = field.link ? { [LABEL_PREFIX + field.name]: label ?? null } : {}
      const release = windows?.hold(row.id, { [field.name]: value, ...labels })
      const command = {
        label: recordMessages.changeOf(field.label, 1, table.noun, table.many),
        changes,
      }
      const writing = isUnjudged
        ? writer.write(command).then((isStored) => (isStored ? undefined : FULL))
        : writer.tryWrite(command)
      const notStored = await writing.finally(release)
      if (notStored) windows?.patch(row.id, valuesOf(row, [field.name, ...Object.keys(labels)]))
      return notStored
    },
    leaveCell(id, field, typed) {
      const leave = async (): Promise<void> => {
        const part = await import('./leave-cell.ts')
        await part.leaveCell({ local, writer, table }, id, field, typed)
      }
      leave().catch((error: unknown) => {
        console.info(error)
        showToast({ text: errorMessages.partNotLoaded })
      })
    },
    clear: (range) => withBulk((bulk) => bulk.clear(range)),
    setCells: (...args) => withBulk((bulk) => bulk.setCells(...args)),
    fillDown: (...args) => withBulk((bulk) => bulk.fillDown(...args)),
    copy: async (range) => (await withBulk((bulk) => bulk.copy(range))) ?? false,
    paste: (clipboard, range) => withBulk((bulk) => bulk.paste(clipboard, range)),
    setField: (...args) => withBulk((bulk) => bulk.setField(...args)),
    deleteRows: (chosen) => withBulk((bulk) => bulk.deleteRows(chosen)),
  }
}

function valuesOf(row: GridRow, names: readonly string[]): Readonly<Record<string, FieldValue>> {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
}
