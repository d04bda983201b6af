import type { LocalDatabase } from '@holdfast/client'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { settleText } from '../../lib/fields/settle-text.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { quoteName } from '../../lib/sql.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { recordMessages } from '../../messages/record.ts'
import { changeRow } from './change-row.ts'
import type { TypedCell } from './typed-cell.ts'
import type { GridRow } from './window-cache.ts'

/**
 * Stores what was typed in a cell that is not on the screen any more, so that nobody can be asked: a text that was changed elsewhere meanwhile keeps both
 * versions, and what is known to be refused goes to the server, whose answer keeps it.
 */
export async function leaveCell(
  { local, writer, table }: { readonly local: LocalDatabase; readonly writer: RecordWriter; readonly table: TableInfo },
  id: string,
  field: Field,
  { text, seen }: TypedCell,
): Promise<void> {
  if (text === seen) return
  const sql = `select * from ${quoteName(table.name)} where id = ?`
  const row = await local.database.getOptional<GridRow>(sql, [id])
  if (!row) return showToast({ text: fieldMessages.notSaved(recordMessages.goneTitle) })
  const parsed = parseValue(
    field,
    field.kind === 'long_text' ? keepBoth(seen, text, toEditText(field, row[field.name] ?? null)) : text,
  )
  if (!parsed.isValid) return showToast({ text: fieldMessages.notSaved(parsed.message) })
  await writer.write({
    label: recordMessages.changeOf(field.label, 1, table.noun, table.many),
    changes: changeRow(table.name, row, { [field.name]: parsed.value }),
  })
}

function keepBoth(seen: string, text: string, stored: string): string {
  const settled = settleText(seen, text, stored)
  return settled.kind === 'text' ? settled.text : settled.conflict.both
}
