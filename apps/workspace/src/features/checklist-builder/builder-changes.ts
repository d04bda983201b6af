import { type Checklist, type ItemPart, parseList } from '../../lib/checklists/checklist.ts'
import { isTrue, type Question, questionsOf } from '../../lib/checklists/questions.ts'
import type { FieldValue } from '../../lib/fields/field.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import type { RecordChange, RecordValues } from '../../lib/records/record-change.ts'
import { type ChecklistDraft, choicesOf, type DraftEntry, type DraftQuestion, questionsIn } from './builder-draft.ts'

/** A template with its questions as this device has them. */
export interface StoredChecklist {
  readonly template: RecordValues
  readonly items: readonly RecordValues[]
}

/** Parts of a question whose change makes it another question. */
const MEANING: readonly ItemPart[] = ['prompt', 'kind', 'required', 'unit', 'min', 'max', 'choices', 'finding_when']
const POSITION_STEP = 10

/** Whether the tables keep versions, without which changed questions would reach records already begun. */
export function hasVersions({ templates, items, answers }: Checklist): boolean {
  const columns = [templates.version, templates.active, answers.version, items.columns.since, items.columns.until]
  return columns.every((column) => column !== undefined)
}

/** Returns the number of the published version; 0 for a draft. */
export function versionOf({ templates }: Checklist, template: RecordValues): number {
  return templates.version === undefined ? 0 : Number(template[templates.version] ?? 0)
}

/** Whether new records can be started from the template. */
export function isActive({ templates }: Checklist, template: RecordValues): boolean {
  return templates.active === undefined || isTrue(template[templates.active] ?? null)
}

/** Returns the current questions as the builder edits them. */
export function draftOf(
  checklist: Checklist,
  { template, items }: StoredChecklist,
  numberText: (value: number) => string,
): ChecklistDraft {
  const version = Math.max(versionOf(checklist, template), 1)
  const isVersioned = hasVersions(checklist)
  let section: string | undefined
  const entries = questionsOf(checklist, items, isVersioned ? version : undefined).flatMap((question): DraftEntry[] => {
    const isNew = question.section !== undefined && question.section !== section
    section = question.section ?? section
    const own = toDraftQuestion(question, numberText)
    return isNew ? [{ type: 'section', id: `section ${question.id}`, title: question.section ?? '' }, own] : [own]
  })
  return { name: textOf(template, checklist.templates.title), description: textOf(template, 'description'), entries }
}

function toDraftQuestion(question: Question, numberText: (value: number) => string): DraftQuestion {
  const { id, prompt, kind, isRequired, help = '', unit = '', min, max, choices, findingWhen } = question
  const several = findingWhen?.startsWith('[') === true ? parseList(findingWhen) : []
  return {
    type: 'question',
    id,
    prompt,
    kind,
    isRequired,
    help,
    unit,
    min: min === undefined ? '' : numberText(min),
    max: max === undefined ? '' : numberText(max),
    choices,
    findingWhen: several.length > 0 ? several : findingWhen === undefined ? [] : [findingWhen],
  }
}

const textOf = (row: RecordValues, column: string | undefined): string =>
  column === undefined ? '' : String(row[column] ?? '')

/** How to save a draft. */
export interface Saving {
  /** Parses a number as typed. */
  readonly toNumber: (text: string) => number | undefined
  /** Whether new records can be started afterwards. */
  readonly isPublished: boolean
}

/**
 * Returns the changes that save a draft. Of a published checklist, changed questions become new ones and removed ones are retired, so that records already begun keep
 * the questions with which they began, also on devices that are offline.
 */
export function changesFor(
  checklist: Checklist,
  stored: StoredChecklist,
  draft: ChecklistDraft,
  { toNumber, isPublished }: Saving,
): readonly RecordChange[] {
  const { items, templates } = checklist
  const version = versionOf(checklist, stored.template)
  const isUsed = version > 0 && hasVersions(checklist)
  const byId = new Map(stored.items.map((row) => [String(row['id']), row]))
  const asked = new Set(
    draftOf(checklist, stored, String).entries.flatMap(({ type, id }) => (type === 'question' ? [id] : [])),
  )
  const kept = new Set<string>()
  let isOther = false
  const changes = questionsIn(draft).flatMap(({ question, section }, at): readonly RecordChange[] => {
    const values = valuesOf(checklist, question, { section, position: (at + 1) * POSITION_STEP, toNumber })
    const row = byId.get(question.id)
    const id = templateLink(checklist, stored)
    if (!row) {
      isOther = true
      const since = columnValue(checklist, 'since', isUsed ? version + 1 : 1)
      return [{ kind: 'insert', table: items.table, id: question.id, values: { ...id, ...values, ...since } }]
    }
    kept.add(question.id)
    const numbers = new Set([items.columns.min, items.columns.max])
    const changed = Object.keys(values).filter(
      (name) => !isSame(row[name] ?? null, values[name] ?? null, numbers.has(name)),
    )
    if (changed.length === 0) return []
    const meaning = new Set(MEANING.map((part) => items.columns[part]))
    if (!isUsed || !changed.some((name) => meaning.has(name))) return [update(items.table, row, changed, values)]
    isOther = true
    const since = columnValue(checklist, 'since', version + 1)
    return [
      retire(checklist, row, version),
      { kind: 'insert', table: items.table, id: uuidV7(), values: { ...id, ...values, ...since } },
    ]
  })
  const gone = stored.items.filter((row) => asked.has(String(row['id'])) && !kept.has(String(row['id'])))
  isOther ||= gone.length > 0
  const removals = gone.map((row): RecordChange =>
    isUsed
      ? retire(checklist, row, version)
      : { kind: 'delete', table: items.table, id: String(row['id']), values: row },
  )
  const next = isUsed && isOther ? version + 1 : isPublished ? Math.max(version, 1) : version
  const head: Record<string, FieldValue> = {}
  if (templates.title !== undefined) head[templates.title] = draft.name.trim()
  if ('description' in stored.template) head['description'] = draft.description.trim() || null
  if (templates.active !== undefined) head[templates.active] = Number(isPublished)
  if (templates.version !== undefined) head[templates.version] = next
  const changedHead = Object.keys(head).filter((name) => !isSame(stored.template[name] ?? null, head[name] ?? null))
  const ofTemplate = changedHead.length === 0 ? [] : [update(templates.table, stored.template, changedHead, head)]
  return [...ofTemplate, ...removals, ...changes]
}

/** Returns the changes that copy a checklist as a draft. */
export function copyOf(
  checklist: Checklist,
  stored: StoredChecklist,
  name: string,
): { readonly id: string; readonly changes: readonly RecordChange[] } {
  const { templates } = checklist
  const id = uuidV7()
  const template: RecordValues = {
    id,
    ...(templates.title !== undefined && { [templates.title]: name }),
    ...('description' in stored.template && { description: stored.template['description'] ?? null }),
    ...(templates.active !== undefined && { [templates.active]: 0 }),
    ...(templates.version !== undefined && { [templates.version]: 0 }),
  }
  const { id: _id, ...values } = template
  const draft = draftOf(checklist, stored, String)
  const entries = draft.entries.map((entry) => ({ ...entry, id: uuidV7() }))
  const questions = changesFor(
    checklist,
    { template, items: [] },
    { ...draft, name, description: textOf(template, 'description'), entries },
    { toNumber: Number, isPublished: false },
  )
  return { id, changes: [{ kind: 'insert', table: templates.table, id, values }, ...questions] }
}

function templateLink({ items }: Checklist, { template }: StoredChecklist): RecordValues {
  return { [items.template]: String(template['id']) }
}

function valuesOf(
  { items: { columns, kinds } }: Checklist,
  question: DraftQuestion,
  {
    section,
    position,
    toNumber,
  }: { readonly section: string; readonly position: number; readonly toNumber: Saving['toNumber'] },
): RecordValues {
  const { kind } = question
  const limit = (text: string): string | null =>
    kind === 'reading' && text.trim() !== '' ? String(toNumber(text) ?? '') || null : null
  const parts: Readonly<Partial<Record<ItemPart, FieldValue>>> = {
    prompt: question.prompt.trim(),
    kind: [...kinds].find(([, own]) => own === kind)?.[0] ?? kind,
    position,
    section: section || null,
    required: Number(question.isRequired),
    unit: (kind === 'reading' && question.unit.trim()) || null,
    min: limit(question.min),
    max: limit(question.max),
    choices: kind === 'choice' ? JSON.stringify(choicesOf(question)) : null,
    finding_when: findingText(question),
    help: question.help.trim() || null,
  }
  const values: Record<string, FieldValue> = {}
  for (const [part, value] of Object.entries(parts) as [ItemPart, FieldValue][]) {
    const column = columns[part]
    if (column !== undefined) values[column] = value
  }
  return values
}

function findingText({ findingWhen }: DraftQuestion): string | null {
  const [first, ...others] = findingWhen
  if (first === undefined) return null
  return others.length === 0 && !first.startsWith('[') ? first : JSON.stringify(findingWhen)
}

function columnValue({ items }: Checklist, part: ItemPart, value: number): RecordValues {
  const column = items.columns[part]
  return column === undefined ? {} : { [column]: value }
}

function retire(checklist: Checklist, row: RecordValues, version: number): RecordChange {
  const values = columnValue(checklist, 'until', version)
  return update(checklist.items.table, row, Object.keys(values), values)
}

function update(table: string, row: RecordValues, names: readonly string[], values: RecordValues): RecordChange {
  const pick = (of: RecordValues): RecordValues => Object.fromEntries(names.map((name) => [name, of[name] ?? null]))
  return { kind: 'update', table, id: String(row['id']), values: pick(values), before: pick(row) }
}

/** Whether two local values are equal. A `numeric` is a text on devices: `2.50` is `2.5`. */
function isSame(one: FieldValue, other: FieldValue, isNumeric = false): boolean {
  if (one === null || other === null) return one === other
  return String(one) === String(other) || (isNumeric && Number(one) === Number(other))
}
