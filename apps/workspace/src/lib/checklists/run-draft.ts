import type { Statement } from '../sql.ts'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import * as v from 'valibot'
import type { FieldValue } from '../fields/field.ts'
import { CHECKLIST_FORM as FORM, COMMENT_FORM } from '../records/drafts.ts'
import type { LocalStatement } from '../records/record-change.ts'
import { parseObject } from './checklist.ts'

/** A finding being composed. Its photos are already stored with the record. */
export interface FindingDraft {
  readonly title: string
  readonly severity: string | undefined
  readonly photos: readonly string[]
  readonly position: { readonly lat: number; readonly lon: number; readonly metres: number } | undefined
}

/** Unsaved state of a checklist screen, stored on this device to survive restarts. */
export interface RunDraft {
  /** The current question; `undefined` for the first unanswered one. */
  readonly at: string | undefined
  /** By question: entered but not saved. */
  readonly values: Readonly<Record<string, FieldValue>>
  /** By question. */
  readonly findings: Readonly<Record<string, FindingDraft>>
}

export const EMPTY_DRAFT: RunDraft = { at: undefined, values: {}, findings: {} }

/** Instead of a question: the final review. */
export const REVIEW = 'review'

const value = v.union([v.string(), v.number(), v.null()])
const position = v.object({ lat: v.number(), lon: v.number(), metres: v.number() })
const finding = v.object({
  title: v.string(),
  severity: v.optional(v.string()),
  photos: v.array(v.string()),
  position: v.optional(position),
})
const shape = v.object({
  at: v.optional(v.string()),
  values: v.record(v.string(), value),
  findings: v.record(v.string(), finding),
})

export interface RunDraftRow {
  readonly table_name: string
  readonly record_id: string
  readonly field_values: string
  readonly updated_at: string
}

export const RUN_DRAFT_SQL = `select table_name, record_id, field_values, updated_at from hf_local_drafts where id = ?`
/** Selects all form drafts in progress on this device, latest first; comment drafts are shown at their record. */
export function draftsSql(limit: number): Statement {
  return {
    sql: `select id, table_name, record_id, form_id, updated_at from hf_local_drafts
           where form_id <> '${COMMENT_FORM}' order by updated_at desc, id limit ${String(limit)}`,
    parameters: [],
  }
}

/** Where a draft continues. */
export type DraftPlace =
  | { readonly kind: 'checklist'; readonly record: string }
  | { readonly kind: 'start'; readonly template: string; readonly prefill: string | undefined }
  | { readonly kind: 'record'; readonly record: string }
  | { readonly kind: 'view'; readonly view: string }

export interface AnyDraftRow {
  readonly id: string
  readonly table_name: string
  readonly record_id: string
  readonly form_id: string
  readonly updated_at: string
}

const START = 'checklist-start/'

/**
 * Name of the form that creates a record from a template.
 *
 * @param prefill - values from a link, so that drafts for different places are separate
 */
export function startForm(template: string, prefill?: string): string {
  return `${START}${template}${prefill === undefined ? '' : `?${prefill}`}`
}

export function draftPlaceOf({ form_id, record_id }: AnyDraftRow): DraftPlace {
  if (form_id === FORM) return { kind: 'checklist', record: record_id }
  if (form_id.startsWith(START)) {
    const [template = '', ...prefill] = form_id.slice(START.length).split('?')
    return { kind: 'start', template, prefill: prefill.length === 0 ? undefined : prefill.join('?') }
  }
  return form_id === 'record' ? { kind: 'record', record: record_id } : { kind: 'view', view: form_id }
}

/** Returns the id of a record's checklist draft, also for a record not created yet. */
export function runDraftId(recordId: string): string {
  return `${FORM}/${recordId}`
}

/** Parses a draft; one from another app version counts as none. */
export function toRunDraft(row: RunDraftRow | undefined): RunDraft {
  const result = v.safeParse(shape, parseObject(row?.field_values ?? null))
  if (!result.success) return EMPTY_DRAFT
  const { at, values, findings } = result.output
  const whole = Object.entries(findings).map(([id, one]): [string, FindingDraft] => [
    id,
    { title: one.title, severity: one.severity, photos: one.photos, position: one.position },
  ])
  return { at, values, findings: Object.fromEntries(whole) }
}

export async function readRunDraft(
  database: Pick<CommonPowerSyncDatabase, 'getOptional'>,
  recordId: string,
): Promise<RunDraft> {
  return toRunDraft((await database.getOptional<RunDraftRow>(RUN_DRAFT_SQL, [runDraftId(recordId)])) ?? undefined)
}

/**
 * Updates the stored draft, preserving changes from other tabs.
 *
 * @returns the stored draft
 */
export async function changeRunDraft(
  database: CommonPowerSyncDatabase,
  table: string,
  recordId: string,
  change: (stored: RunDraft) => RunDraft,
): Promise<RunDraft> {
  return database.writeTransaction(async (transaction) => {
    const next = change(await readRunDraft(transaction, recordId))
    await transaction.execute(
      `insert or replace into hf_local_drafts (id, table_name, record_id, form_id, field_values, updated_at)
       values (?, ?, ?, '${FORM}', ?, ?)`,
      [runDraftId(recordId), table, recordId, JSON.stringify(next), new Date().toISOString()],
    )
    return next
  })
}

/** Removes saved values of a question from the stored draft, in the same transaction as saving. */
export function removalFromRunDraft(
  recordId: string,
  questionId: string,
  parts: readonly ('values' | 'findings')[],
): LocalStatement {
  return {
    sql: `update hf_local_drafts set field_values = json_remove(field_values${', ?'.repeat(parts.length)}) where id = ?`,
    parameters: [...parts.map((part) => `$.${part}."${questionId}"`), runDraftId(recordId)],
  }
}

/** Returns the draft without a saved question. */
export function withoutQuestion(draft: RunDraft, id: string): RunDraft {
  const { [id]: _value, ...values } = draft.values
  const { [id]: _finding, ...findings } = draft.findings
  return { ...draft, values, findings }
}
