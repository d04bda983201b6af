import { useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import type { FieldValue } from '../fields/field.ts'
import type { RecordValues } from '../records/record-change.ts'
import { quoteName } from '../sql.ts'
import type { AnsweredRecord, StoredAnswer } from './answer-changes.ts'
import type { Checklist } from './checklist.ts'
import { type Question, questionsOf, versionBegun } from './questions.ts'

export interface ChecklistRows extends AnsweredRecord {
  readonly title: string
  readonly questions: readonly Question[]
  /** The answered questions. */
  readonly answered: ReadonlySet<string>
  /** Last answers at the same place, by question. */
  readonly earlier: ReadonlyMap<string, FieldValue>
  /** Findings by answer. */
  readonly findings: ReadonlyMap<string, readonly { readonly id: string; readonly title: string }[]>
}

/** Returns a record's checklist state; `undefined` while loading, `null` if the record is not on this device. */
export function useChecklistRows(checklist: Checklist, recordId: string): ChecklistRows | null | undefined {
  const { table, template, items, templates, findings } = checklist
  const records = useRecords<RecordValues>(`select * from ${quoteName(table)} where id = ?`, [recordId])
  const record = records.rows[0]
  const templateId = record?.[template] ?? null
  const known = useTemplate(checklist, templateId)
  const asked = useRecords<RecordValues>(
    record ? `select * from ${quoteName(items.table)} where ${quoteName(items.template)} = ?` : '',
    [templateId],
  )
  const given = useRecords<RecordValues>(
    `select * from ${quoteName(checklist.answers.table)} where ${quoteName(checklist.answers.record)} = ?`,
    [recordId],
  )
  const earlier = useEarlier(checklist, record)
  const foundSql = findingsSql(findings, checklist)
  const found = useRecords<RecordValues>(foundSql, foundSql === '' ? [] : [recordId])
  const isComplete = asked.isCurrent && !given.isLoading && (foundSql === '' || !found.isLoading)
  const version = known && versionBegun(checklist, given.rows, known.version)
  const questions = useMemo(() => questionsOf(checklist, asked.rows, version), [checklist, asked.rows, version])
  const isGone = !records.isLoading && !record
  return useMemo(() => {
    if (isGone) return null
    if (!record || known === undefined || !isComplete) return undefined
    const all = found.rows.map((row) => ({
      answer: String(row['answer']),
      id: String(row['id']),
      title: String(row['title']),
    }))
    const answers = answersOf(checklist, questions, given.rows)
    return {
      record,
      title: known.title === '' ? templates.table : known.title,
      questions,
      version,
      answers,
      answered: answeredOf(checklist, questions, answers),
      earlier: lastValues(checklist, questions, earlier),
      findings: Map.groupBy(all, ({ answer }) => answer),
    }
  }, [isGone, record, known, isComplete, templates, questions, version, checklist, given.rows, earlier, found.rows])
}

/** Returns the template's name, empty if none, and its version; `undefined` while loading. */
function useTemplate(
  { templates }: Checklist,
  id: FieldValue,
): { readonly title: string; readonly version: number } | undefined {
  const column = (name: string | undefined): string => (name === undefined ? 'null' : quoteName(name))
  const { rows, isLoading } = useRecords<{ readonly title: string | null; readonly version: FieldValue }>(
    `select ${column(templates.title)} as title, ${column(templates.version)} as version
       from ${quoteName(templates.table)} where id = ?`,
    [id],
  )
  const [row] = rows
  return useMemo(
    () => (isLoading ? undefined : { title: row?.title ?? '', version: Number(row?.version ?? 0) }),
    [isLoading, row],
  )
}

function findingsSql(findings: Checklist['findings'], { answers }: Checklist): string {
  if (!findings || findings.answer === undefined) return ''
  const columns = `id, ${quoteName(findings.answer)} as answer, ${quoteName(findings.title)} as title`
  return `select ${columns} from ${quoteName(findings.table)}
           where ${quoteName(findings.answer)} in
             (select id from ${quoteName(answers.table)} where ${quoteName(answers.record)} = ?)`
}

/** Returns answers of earlier records with the same place and template. */
function useEarlier(checklist: Checklist, record: RecordValues | undefined): readonly RecordValues[] {
  const { table, template, places, answers } = checklist
  const same = [template, ...places]
  const where = same.map((name) => `${quoteName(name)} is ?`).join(' and ')
  const others = useRecords<{ readonly id: string }>(
    record && places.length > 0
      ? `select id from ${quoteName(table)} where id <> ? and ${where} order by id desc limit 500`
      : '',
    [String(record?.['id'] ?? ''), ...same.map((name) => record?.[name] ?? null)],
  )
  const ids = others.rows.map(({ id }) => id)
  const { rows } = useRecords<RecordValues>(
    ids.length === 0
      ? ''
      : `select * from ${quoteName(answers.table)} where ${quoteName(answers.record)} in (select value from json_each(?))`,
    [JSON.stringify(ids)],
  )
  return rows
}

function answersOf(
  { answers }: Checklist,
  questions: readonly Question[],
  rows: readonly RecordValues[],
): ReadonlyMap<string, StoredAnswer> {
  const byItem = new Map(rows.map((row) => [String(row[answers.item]), row]))
  return new Map(
    questions.flatMap(({ id, kind }) => {
      const row = byItem.get(id)
      const column = answers.values[kind]
      if (!row) return []
      const stored = { id: String(row['id']), value: column === undefined ? null : (row[column] ?? null) }
      return [[id, stored] as const]
    }),
  )
}

/** Returns questions with a value; for yes/no questions "not applicable" counts as an answer. */
export function answeredOf(
  { answers: { values } }: Checklist,
  questions: readonly Question[],
  answers: ReadonlyMap<string, StoredAnswer>,
): ReadonlySet<string> {
  const isAnswered = ({ id, kind }: Question): boolean => {
    const answer = answers.get(id)
    return answer !== undefined && (answer.value !== null || kind === 'yes_no' || values[kind] === undefined)
  }
  return new Set(questions.filter(isAnswered).map(({ id }) => id))
}

/** Returns the latest value per question. */
export function lastValues(
  { answers }: Checklist,
  questions: readonly Question[],
  rows: readonly RecordValues[],
): ReadonlyMap<string, FieldValue> {
  const latest = rows.toSorted((a, b) => compare(momentOf(b), momentOf(a)))
  const byItem = Map.groupBy(latest, (row) => String(row[answers.item]))
  return new Map(
    questions.flatMap(({ id, kind }) => {
      const column = answers.values[kind]
      if (column === undefined) return []
      const own = (byItem.get(id) ?? []).map((row) => row[column] ?? null)
      const last = own.find((value) => value !== null)
      return last === undefined || last === null ? [] : [[id, last] as const]
    }),
  )
}

/** Returns when an answer was given; ids created on devices sort by time, too. */
function momentOf(row: RecordValues): string {
  return String(row['created_at'] ?? row['id'] ?? '')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
