import type { RejectedChange } from '@holdfast/client'
import type { SchemaDescriptor, UploadOperation } from '@holdfast/protocol'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import { toTableInfo } from '../../lib/data/tables.ts'
import { formatFieldValue } from '../../lib/fields/field-value.ts'
import { labelOf } from '../../lib/data/column-words.ts'
import { humanize } from '../../lib/format.ts'
import { renderCsv } from '../../lib/csv.ts'
import { saveFile } from '../../lib/save-file.ts'
import { quoteName } from '../../lib/sql.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { verdictWords } from '../../lib/records/verdict-words.ts'

/** Exports rejected changes as a table with a line per field: the written value and the reason. */
export async function exportChanges(
  database: CommonPowerSyncDatabase,
  schema: SchemaDescriptor,
  changes: readonly RejectedChange[],
): Promise<void> {
  const operations = changes.flatMap((change) => [
    ...change.operations,
    ...change.held.flatMap((held) => held.operations),
  ])
  const titles = new Map<string, string>()
  for (const descriptor of schema.tables) {
    const { titleColumn } = toTableInfo(descriptor)
    const ids = operations.filter(({ type }) => type === descriptor.name).map(({ id }) => id)
    if (titleColumn === undefined || ids.length === 0) continue
    const rows = await database.getAll<{ readonly id: string; readonly title: string | null }>(
      `select id, ${quoteName(titleColumn)} as title from ${quoteName(descriptor.name)} where id in (select value from json_each(?))`,
      [JSON.stringify(ids)],
    )
    for (const { id, title } of rows) titles.set(`${descriptor.name}/${id}`, title ?? '')
  }
  const lines = changes.flatMap((change) => [
    ...change.operations.flatMap((operation) => linesOf(change, operation, words.exportRefused)),
    ...change.held.flatMap((held) =>
      held.operations.flatMap((operation) => linesOf(change, operation, words.exportHeld)),
    ),
  ])
  saveFile(words.exportFile(new Date()), renderCsv([words.exportHeader, ...lines]), 'text/csv')

  function linesOf(change: RejectedChange, operation: UploadOperation, state: string): readonly (readonly string[])[] {
    const { title } = verdictWords(change.verdict)
    const descriptor = schema.tables.find(({ name }) => name === operation.type)
    const name = titles.get(`${operation.type}/${operation.id}`) ?? ''
    const start = [
      change.at,
      state,
      title,
      words.exportKinds[operation.op],
      humanize(operation.type),
      operation.id,
      name,
    ]
    const values = Object.entries(operation.data ?? {})
    if (values.length === 0) return [[...start, '', '']]
    return values.map(([column, value]) => {
      const known = descriptor?.columns.find((candidate) => candidate.name === column)
      return [
        ...start,
        known ? labelOf(known) : humanize(column),
        (known ? formatFieldValue(known, value) : undefined) ?? String(value ?? ''),
      ]
    })
  }
}
