import { useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { tableSql } from '../../lib/fields/table-sql.ts'
import { type Draft, DRAFT_SQL, type DraftRow, toDraft } from '../../lib/records/drafts.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import { quoteName, quoteText } from '../../lib/sql.ts'

/** Whether a record is on this device, still a draft, or missing. */
export type RecordState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'here'; readonly values: RecordValues; readonly labels: ReadonlyMap<string, FieldValue> }
  | { readonly kind: 'draft'; readonly draft: Draft; readonly labels: ReadonlyMap<string, FieldValue> }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly error: Error }

const LABEL = '@'

/** Returns a live record of the local database with the titles of its links. */
export function useRecordState(table: string, id: string, fields: readonly Field[]): RecordState {
  const links = fields.filter(({ link }) => link?.titleColumn !== undefined)
  const labelSql = links.map(({ name, link }) =>
    link?.titleColumn === undefined
      ? ''
      : `, (select ${quoteName(link.titleColumn)} from ${quoteName(link.table)} where id = t.${quoteName(name)}) as ${quoteName(LABEL + name)}`,
  )
  const record = useRecords<RecordValues>(
    `select t.*${labelSql.join('')} from ${tableSql({ table, fields })} where t.id = ?`,
    [id],
  )
  const drafts = useRecords<DraftRow>(DRAFT_SQL, [id])
  const [row] = record.rows
  const [draftRow] = drafts.rows
  const draft = useMemo(() => (draftRow && !row ? toDraft(draftRow) : undefined), [draftRow, row])
  const draftLabels = useDraftLabels(links, draft)
  return useMemo((): RecordState => {
    if (record.error) return { kind: 'failed', error: record.error }
    if (row) {
      const labels = Object.entries(row).filter(([name]) => name.startsWith(LABEL))
      const values = Object.entries(row).filter(([name]) => !name.startsWith(LABEL))
      return {
        kind: 'here',
        values: Object.fromEntries(values),
        labels: new Map(labels.map(([name, value]) => [name.slice(LABEL.length), value])),
      }
    }
    if (draft) return { kind: 'draft', draft, labels: draftLabels }
    return record.isLoading || drafts.isLoading ? { kind: 'loading' } : { kind: 'gone' }
  }, [record.error, record.isLoading, drafts.isLoading, row, draft, draftLabels])
}

/** Returns the titles of a draft's links, which no table has yet. */
function useDraftLabels(links: readonly Field[], draft: Draft | undefined): ReadonlyMap<string, FieldValue> {
  const chosen = links.filter(({ name }) => draft !== undefined && (draft.values[name] ?? null) !== null)
  const sql = chosen.map(({ name, link }) =>
    link?.titleColumn === undefined
      ? ''
      : `select ${quoteText(name)} as name, (select ${quoteName(link.titleColumn)} from ${quoteName(link.table)} where id = ?) as label`,
  )
  const { rows } = useRecords<{ readonly name: string; readonly label: FieldValue }>(
    sql.join(' union all '),
    chosen.map(({ name }) => draft?.values[name] ?? null),
  )
  return useMemo(() => new Map(rows.map(({ name, label }) => [name, label])), [rows])
}
