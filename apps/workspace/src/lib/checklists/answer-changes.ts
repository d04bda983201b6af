import type { FieldValue } from '../fields/field.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import type { RecordChange, RecordValues } from '../records/record-change.ts'
import type { Checklist } from './checklist.ts'
import type { Question } from './questions.ts'

/** An answer that is on this device. */
export interface StoredAnswer {
  readonly id: string
  readonly value: FieldValue
}

/** What a finding is made of. */
export interface FindingInput {
  readonly id: string
  readonly title: string
  readonly severity: string | undefined
  readonly position: { readonly lat: number; readonly lon: number } | undefined
}

/** What the record still needs before it takes answers; empty: nothing. */
export function beginChanges({ table, begin }: Checklist, record: RecordValues): readonly RecordChange[] {
  const missing = Object.keys(begin).filter((name) => (record[name] ?? null) !== begin[name])
  if (missing.length === 0) return []
  const pick = (values: RecordValues): RecordValues =>
    Object.fromEntries(missing.map((name) => [name, values[name] ?? null]))
  return [{ kind: 'update', table, id: String(record['id']), values: pick(begin), before: pick(record) }]
}

/** What is written to the record when its checklist is finished. */
export function finishChanges({ table, finish }: Checklist, record: RecordValues): readonly RecordChange[] {
  const before = Object.fromEntries(Object.keys(finish).map((name) => [name, record[name] ?? null]))
  return [{ kind: 'update', table, id: String(record['id']), values: finish, before }]
}

/**
 * What saves an answer: the record begins with its first one, and an answer that is as it was is not written again.
 *
 * @returns the id of the answer too, which a finding links to; no changes when nothing is new
 */
export function answerChanges(
  checklist: Checklist,
  record: RecordValues,
  question: Question,
  value: FieldValue,
  stored: StoredAnswer | undefined,
): { readonly answerId: string; readonly changes: readonly RecordChange[] } {
  const { table, record: ofRecord, item, values } = checklist.answers
  const column = values[question.kind]
  if (stored && (stored.value === value || column === undefined)) return { answerId: stored.id, changes: [] }
  const own = column === undefined ? {} : { [column]: value }
  const answerId = stored?.id ?? uuidV7()
  const change: RecordChange = stored
    ? { kind: 'update', table, id: answerId, values: own, before: { [column ?? '']: stored.value } }
    : {
        kind: 'insert',
        table,
        id: answerId,
        values: { [ofRecord]: String(record['id']), [item]: question.id, ...own },
      }
  return { answerId, changes: [...beginChanges(checklist, record), change] }
}

/** What makes a finding of an answer; what the record says of the place is the finding's too. */
export function findingChange(
  { findings }: Checklist,
  record: RecordValues,
  answerId: string,
  { id, title, severity, position }: FindingInput,
): readonly RecordChange[] {
  if (!findings) return []
  const values: Record<string, FieldValue> = { [findings.title]: title }
  for (const { from, to } of findings.places) values[to] = record[from] ?? null
  if (findings.record !== undefined) values[findings.record] = String(record['id'])
  if (findings.answer !== undefined) values[findings.answer] = answerId
  if (findings.severity && severity !== undefined) values[findings.severity.column] = severity
  if (findings.position && position) {
    values[findings.position.lat] = position.lat
    values[findings.position.lon] = position.lon
  }
  return [{ kind: 'insert', table: findings.table, id, values }]
}
