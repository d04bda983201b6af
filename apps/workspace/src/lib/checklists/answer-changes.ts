import type { Transaction } from '@powersync/common'
import type { FieldValue } from '../fields/field.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import type { RecordChange, RecordValues } from '../records/record-change.ts'
import { writeChange } from '../records/apply-command.ts'
import { quoteName } from '../sql.ts'
import { checklistMessages as words } from '../../messages/checklist.ts'
import type { Checklist } from './checklist.ts'
import type { Question } from './questions.ts'

/** An answer on this device. */
export interface StoredAnswer {
  readonly id: string
  readonly value: FieldValue
}

/** A record with its answers by question, and the version of the template with which it was begun. */
export interface AnsweredRecord {
  readonly record: RecordValues
  readonly answers: ReadonlyMap<string, StoredAnswer>
  readonly version: number | undefined
}

/** Input for creating a finding. */
export interface FindingInput {
  readonly id: string
  readonly title: string
  readonly severity: string | undefined
  readonly position: { readonly lat: number; readonly lon: number } | undefined
}

/** Returns the changes a record needs before accepting answers; empty for none. */
export function beginChanges({ table, begin }: Checklist, record: RecordValues): readonly RecordChange[] {
  const missing = Object.keys(begin).filter((name) => (record[name] ?? null) !== begin[name])
  if (missing.length === 0) return []
  const pick = (values: RecordValues): RecordValues =>
    Object.fromEntries(missing.map((name) => [name, values[name] ?? null]))
  return [{ kind: 'update', table, id: String(record['id']), values: pick(begin), before: pick(record) }]
}

/** Whether the checklist of a record is finished. A record that only happens to have the values, without an answer, is not. */
export function isFinished({ finish }: Checklist, { record, answers }: AnsweredRecord): boolean {
  const values = Object.entries(finish)
  return values.length > 0 && answers.size > 0 && values.every(([name, value]) => (record[name] ?? null) === value)
}

/** Returns the changes to a record when its checklist is finished. */
export function finishChanges({ table, finish }: Checklist, record: RecordValues): readonly RecordChange[] {
  const before = Object.fromEntries(Object.keys(finish).map((name) => [name, record[name] ?? null]))
  return [{ kind: 'update', table, id: String(record['id']), values: finish, before }]
}

/**
 * Returns the changes that save an answer. The first answer begins the record; an unchanged answer is not written.
 *
 * @returns also the answer's id, to which a finding links; no changes if nothing is new
 */
export function answerChanges(
  checklist: Checklist,
  { record, answers, version }: AnsweredRecord,
  question: Question,
  value: FieldValue,
): { readonly answerId: string; readonly changes: readonly RecordChange[] } {
  const { table, record: ofRecord, item, values, version: ofVersion } = checklist.answers
  const column = values[question.kind]
  const stored = answers.get(question.id)
  if (stored && (stored.value === value || column === undefined)) return { answerId: stored.id, changes: [] }
  const own = column === undefined ? {} : { [column]: value }
  const answerId = stored?.id ?? uuidV7()
  const change: RecordChange = stored
    ? { kind: 'update', table, id: answerId, values: own, before: { [column ?? '']: stored.value } }
    : {
        kind: 'insert',
        table,
        id: answerId,
        values: {
          [ofRecord]: String(record['id']),
          [item]: question.id,
          ...(ofVersion !== undefined && version !== undefined && { [ofVersion]: version }),
          ...own,
        },
      }
  return { answerId, changes: [...beginChanges(checklist, record), change] }
}

/** Writes an answer with its files, in their transaction. Another tab may have answered meanwhile, so the rows are read there. */
export async function writeAnswer(
  tx: Transaction,
  checklist: Checklist,
  { recordId, version }: { readonly recordId: string; readonly version: number | undefined },
  question: Question,
  value: FieldValue,
): Promise<void> {
  const { table, record: ofRecord, item, values } = checklist.answers
  const column = values[question.kind]
  const record = await tx.getOptional<RecordValues>(`select * from ${quoteName(checklist.table)} where id = ?`, [
    recordId,
  ])
  if (!record || column === undefined) return
  const stored = await tx.getOptional<StoredAnswer>(
    `select id, ${quoteName(column)} as value from ${quoteName(table)} where ${quoteName(ofRecord)} = ? and ${quoteName(item)} = ?`,
    [recordId, question.id],
  )
  if (!stored && value === null) return
  const answers = new Map(stored ? [[question.id, stored]] : [])
  const metadata = JSON.stringify({ cmd: words.answerOf(question.prompt), at: new Date().toISOString() })
  for (const change of answerChanges(checklist, { record, answers, version }, question, value).changes)
    await writeChange(tx, change, metadata)
}

/** Returns the change that creates a finding from an answer, inheriting the record's place. */
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
