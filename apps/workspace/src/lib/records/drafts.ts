import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field, FieldValue } from '../fields/field.ts'
import type { LocalStatement, RecordValues } from './record-change.ts'

/** A record draft on this device; its id is the future record's. */
export interface Draft {
  readonly id: string
  readonly table: string
  readonly values: RecordValues
  /** Its form; default: the record's own. */
  readonly form?: string
}

export interface DraftRow {
  readonly id: string
  readonly table_name: string
  readonly field_values: string
}

/** Form of an unsent comment. */
export const COMMENT_FORM = 'comment'

/** A record has one comment draft. */
export function commentDraftId(table: string, recordId: string): string {
  return `${COMMENT_FORM}/${table}/${recordId}`
}

/** Form of unsaved checklist input. */
export const CHECKLIST_FORM = 'checklist'

/** Counts drafts with content; a checklist draft may contain only its position. */
export const UNFINISHED_SQL = `select count(*) as drafts from hf_local_drafts
                                where form_id <> '${CHECKLIST_FORM}' or json_extract(field_values, '$.values') <> '{}'
                                   or json_extract(field_values, '$.findings') <> '{}'`

export const DRAFT_SQL = `select id, table_name, field_values from hf_local_drafts where id = ?`

export function toDraft(row: DraftRow): Draft {
  return { id: row.id, table: row.table_name, values: JSON.parse(row.field_values) as Record<string, FieldValue> }
}

/** Stores a draft, surviving restarts. */
export async function saveDraft(
  database: CommonPowerSyncDatabase,
  { id, table, values, form = 'record' }: Draft,
): Promise<void> {
  await database.execute(
    `insert or replace into hf_local_drafts (id, table_name, record_id, form_id, field_values, updated_at)
     values (?, ?, ?, ?, ?, ?)`,
    [id, table, id, form, JSON.stringify(values), new Date().toISOString()],
  )
}

/** Removes a draft in the same transaction that creates its record. */
export function removalOf(id: string): LocalStatement {
  return { sql: 'delete from hf_local_drafts where id = ?', parameters: [id] }
}

export async function removeDraft(database: CommonPowerSyncDatabase, id: string): Promise<void> {
  const { sql, parameters } = removalOf(id)
  await database.execute(sql, [...parameters])
}

/** Returns required fields still missing in a draft. */
export function missingFields(fields: readonly Field[], values: RecordValues): readonly Field[] {
  return fields.filter((field) => field.isRequired && (values[field.name] ?? null) === null)
}
