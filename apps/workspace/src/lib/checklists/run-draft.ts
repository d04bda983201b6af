import type { Statement } from '../sql.ts'
import type { CommonPowerSyncDatabase } from '@powersync/common'
import * as v from 'valibot'
import type { FieldValue } from '../fields/field.ts'
import { CHECKLIST_FORM as FORM, COMMENT_FORM } from '../records/drafts.ts'
import type { LocalStatement } from '../records/record-change.ts'
import { parseObject } from './checklist.ts'

/** A finding that is being put together. Its photos are stored already, as photos of the record. */
export interface FindingDraft {
  readonly title: string
  readonly severity: string | undefined
  readonly photos: readonly string[]
  readonly position: { readonly lat: number; readonly lon: number; readonly metres: number } | undefined
}

/** What is on the screen of a checklist and not saved: kept on this device, so that it is there after a cold start. */
export interface RunDraft {
  /** The question that is shown; `undefined`: the first that has no answer. */
  readonly at: string | undefined
  /** By question: chosen or typed, and not saved. */
  readonly values: Readonly<Record<string, FieldValue>>
  /** By question. */
  readonly findings: Readonly<Record<string, FindingDraft>>
}

export const EMPTY_DRAFT: RunDraft = { at: undefined, values: {}, findings: {} }

/** In place of a question: everything is answered, or looked through. */
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
/** Every form that was left in the middle on this device, the latest first; a comment waits at its record. */
export function draftsSql(limit: number): Statement {
  return {
    sql: `select id, table_name, record_id, form_id, updated_at from hf_local_drafts
           where form_id <> '${COMMENT_FORM}' order by updated_at desc, id limit ${String(limit)}`,
    parameters: [],
  }
}

/** Where a draft goes on. */
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
 * The name of the form that begins a record with a template.
 *
 * @param prefill - what a link says of the record: what was begun by the link of one place is not that of another
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

/** A record has one draft of its checklist; the record's own id is that of a record that is not made yet. */
export function runDraftId(recordId: string): string {
  return `${FORM}/${recordId}`
}

/** A draft of another version of the app counts as none. */
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
 * Changes the stored draft as it is by then: what another tab has stored of the same checklist stays.
 *
 * @returns the draft that is stored now
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

/** Takes what is saved of a question out of the stored draft, together with the command that saves it. */
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

/** The draft without a question: it has been saved. */
export function withoutQuestion(draft: RunDraft, id: string): RunDraft {
  const { [id]: _value, ...values } = draft.values
  const { [id]: _finding, ...findings } = draft.findings
  return { ...draft, values, findings }
}
