import type { FieldValue } from '../fields/field.ts'
import type { RecordValues } from '../records/record-change.ts'
import { type AnswerKind, type Checklist, type ItemPart, parseList } from './checklist.ts'

/** A question of a template. */
export interface Question {
  readonly id: string
  readonly prompt: string
  readonly kind: AnswerKind
  readonly section: string | undefined
  readonly isRequired: boolean
  readonly unit: string | undefined
  /** Valid range of a reading. */
  readonly min: number | undefined
  readonly max: number | undefined
  readonly choices: readonly string[]
  /** Answer requiring a finding: `yes`, `no`, `out_of_range`, a choice or a JSON list of choices. */
  readonly findingWhen: string | undefined
  readonly help: string | undefined
}

/**
 * Returns the questions of a version in order. Unknown kinds become text questions.
 *
 * @param version - `undefined` if the template has no versions: all questions
 */
export function questionsOf(
  { items }: Checklist,
  rows: readonly RecordValues[],
  version?: number,
): readonly Question[] {
  const part = (row: RecordValues, name: ItemPart): FieldValue => {
    const column = items.columns[name]
    return column === undefined ? null : (row[column] ?? null)
  }
  const isAsked = (row: RecordValues): boolean => {
    const [since, until] = [numberOf(part(row, 'since')), numberOf(part(row, 'until'))]
    return version === undefined || ((since ?? 0) <= version && (until === undefined || version <= until))
  }
  return rows
    .filter(isAsked)
    .toSorted((a, b) => Number(part(a, 'position')) - Number(part(b, 'position')))
    .map((row) => ({
      id: String(row['id']),
      prompt: String(part(row, 'prompt') ?? ''),
      kind: items.kinds.get(String(part(row, 'kind'))) ?? 'text',
      section: textOf(part(row, 'section')),
      isRequired: isTrue(part(row, 'required')),
      unit: textOf(part(row, 'unit')),
      min: numberOf(part(row, 'min')),
      max: numberOf(part(row, 'max')),
      choices: parseList(part(row, 'choices')),
      findingWhen: textOf(part(row, 'finding_when')),
      help: textOf(part(row, 'help')),
    }))
}

/**
 * Returns the version of a template with which a record was begun, so that later changes of the template do not reach it.
 *
 * @param current - version of the template; 0 for a draft
 */
export function versionBegun(
  { answers, templates }: Checklist,
  rows: readonly RecordValues[],
  current: number,
): number | undefined {
  const { version } = answers
  if (version === undefined || templates.version === undefined) return undefined
  const begun = rows.flatMap((row) => numberOf(row[version] ?? null) ?? [])
  return begun.length === 0 ? Math.max(current, 1) : Math.min(...begun)
}

function textOf(value: FieldValue): string | undefined {
  return value === null || value === '' ? undefined : String(value)
}

function numberOf(value: FieldValue): number | undefined {
  const number = value === null || value === '' ? Number.NaN : Number(value)
  return Number.isNaN(number) ? undefined : number
}

export function isTrue(value: FieldValue): boolean {
  return value === 1 || value === '1' || value === 'true'
}

/** Returns on which side of the valid range a reading is; `undefined` if inside or absent. */
export function outOfRange({ kind, min, max }: Question, value: FieldValue): 'below' | 'above' | undefined {
  const reading = kind === 'reading' ? numberOf(value) : undefined
  if (reading === undefined) return undefined
  if (min !== undefined && reading < min) return 'below'
  return max !== undefined && reading > max ? 'above' : undefined
}

/** Whether the answer requires a finding. */
export function needsFinding(question: Question, value: FieldValue): boolean {
  const { kind, findingWhen } = question
  if (findingWhen === undefined || value === null) return false
  if (kind === 'yes_no') return findingWhen === (isTrue(value) ? 'yes' : 'no')
  if (kind === 'reading') return findingWhen === 'out_of_range' && outOfRange(question, value) !== undefined
  return kind === 'choice' && (value === findingWhen || parseList(findingWhen).includes(String(value)))
}
