import type { LocalDatabase } from '@holdfast/client'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { type Field, type FieldValue, isMergedText } from '../../lib/fields/field.ts'
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
 * Stores the text typed into a cell that is no longer on screen, so the user cannot be asked. If the text was changed elsewhere, both versions are kept. Text
 * that policies are known to refuse, or whose record is missing, goes to the server, which keeps it with its answer.
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
  // If the record is missing, only the text that the user saw is known.
  const before: GridRow = row ?? { id, [field.name]: valueOf(field, seen) }
  const stored = toEditText(field, before[field.name] ?? null)
  const parsed = parseValue(
    field,
    isMergedText(field) ? keepBoth(seen, text, stored, field.kind === 'long_text') : text,
  )
  if (!parsed.isValid) return showToast({ text: fieldMessages.notSaved(parsed.message) })
  await writer.write({
    label: recordMessages.changeOf(field.label, 1, table.noun, table.many),
    changes: changeRow(table.name, before, { [field.name]: parsed.value }),
  })
}

function valueOf(field: Field, text: string): FieldValue {
  const parsed = parseValue(field, text)
  return parsed.isValid ? parsed.value : null
}

function keepBoth(seen: string, text: string, stored: string, isLong: boolean): string {
  const settled = settleText(seen, text, stored, isLong)
  return settled.kind === 'text' ? settled.text : settled.conflict.both
}
