import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field, FieldValue } from '../fields/field.ts'
import type { LocalStatement, RecordValues } from './record-change.ts'

/** A record that is being put together on this device; its id is the future record's. */
export interface Draft {
  readonly id: string
  readonly table: string
  readonly values: RecordValues
  /** The form in which it is filled in; left out: the record's own. */
  readonly form?: string
}

export interface DraftRow {
  readonly id: string
  readonly table_name: string
  readonly field_values: string
}

/** The form of a comment that is not sent. */
export const COMMENT_FORM = 'comment'

/** A record has one comment that is being written. */
export function commentDraftId(table: string, recordId: string): string {
  return `${COMMENT_FORM}/${table}/${recordId}`
}

/** The form of what stands in a checklist and is not saved. */
export const CHECKLIST_FORM = 'checklist'

/** How many have something that is nowhere else; a checklist may have no more than the place where it was left. */
export const UNFINISHED_SQL = `select count(*) as drafts from hf_local_drafts
                                where form_id <> '${CHECKLIST_FORM}' or json_extract(field_values, '$.values') <> '{}'
                                   or json_extract(field_values, '$.findings') <> '{}'`

export const DRAFT_SQL = `select id, table_name, field_values from hf_local_drafts where id = ?`

export function toDraft(row: DraftRow): Draft {
  return { id: row.id, table: row.table_name, values: JSON.parse(row.field_values) as Record<string, FieldValue> }
}

/** Keeps a draft on this device, over restarts. */
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

/** Removes a draft together with the command that makes a record of it. */
export function removalOf(id: string): LocalStatement {
  return { sql: 'delete from hf_local_drafts where id = ?', parameters: [id] }
}

export async function removeDraft(database: CommonPowerSyncDatabase, id: string): Promise<void> {
  const { sql, parameters } = removalOf(id)
  await database.execute(sql, [...parameters])
}

/** The fields that a draft still needs before the database can take it. */
export function missingFields(fields: readonly Field[], values: RecordValues): readonly Field[] {
  return fields.filter((field) => field.isRequired && (values[field.name] ?? null) === null)
}
