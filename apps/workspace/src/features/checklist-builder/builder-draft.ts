import type { AnswerKind } from '../../lib/checklists/checklist.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'

/** A question as the builder edits it. Numbers are texts as typed. */
export interface DraftQuestion {
  readonly type: 'question'
  readonly id: string
  readonly prompt: string
  readonly kind: AnswerKind
  readonly isRequired: boolean
  readonly help: string
  readonly unit: string
  readonly min: string
  readonly max: string
  readonly choices: readonly string[]
  /** Answers that require a finding: `yes`, `no`, `out_of_range` or choices. */
  readonly findingWhen: readonly string[]
}

/** A heading; the questions up to the next one belong to it. */
export interface DraftSection {
  readonly type: 'section'
  readonly id: string
  readonly title: string
}

export type DraftEntry = DraftQuestion | DraftSection

export interface ChecklistDraft {
  readonly name: string
  readonly description: string
  readonly entries: readonly DraftEntry[]
}

/** Questions per checklist. */
export const QUESTIONS_MAX = 300
export const PROMPT_MAX = 500
const SECTION_MAX = 120

export function newQuestion(prompt = '', kind: AnswerKind = 'yes_no'): DraftQuestion {
  return {
    type: 'question',
    id: uuidV7(),
    prompt,
    kind,
    isRequired: true,
    help: '',
    unit: '',
    min: '',
    max: '',
    choices: [],
    findingWhen: kind === 'yes_no' ? ['no'] : [],
  }
}

export function newSection(title = ''): DraftSection {
  return { type: 'section', id: uuidV7(), title }
}

/** Inserts entries after another one; at the end without one. */
export function insertAfter(
  draft: ChecklistDraft,
  id: string | undefined,
  added: readonly DraftEntry[],
): ChecklistDraft {
  const at = draft.entries.findIndex((entry) => entry.id === id)
  const place = at === -1 ? draft.entries.length : at + 1
  return { ...draft, entries: draft.entries.toSpliced(place, 0, ...added) }
}

/** Changes a question. A new kind drops the answers that no longer require a finding. */
export function changeQuestion(
  draft: ChecklistDraft,
  id: string,
  change: Partial<Omit<DraftQuestion, 'id' | 'type'>>,
): ChecklistDraft {
  const entries = draft.entries.map((entry) =>
    entry.id === id && entry.type === 'question' ? settled({ ...entry, ...change }, entry) : entry,
  )
  return { ...draft, entries }
}

function settled(question: DraftQuestion, before: DraftQuestion): DraftQuestion {
  const possible = possibleFindings(question)
  // A renamed option keeps its mark.
  const kept = question.findingWhen.map((one) => {
    const at = before.choices.indexOf(one)
    const isRenamed = at !== -1 && question.choices.length === before.choices.length && !question.choices.includes(one)
    return isRenamed ? (question.choices[at] ?? one) : one
  })
  return { ...question, findingWhen: [...new Set(kept)].filter((one) => possible.includes(one)) }
}

/** Returns the answers that can require a finding. */
export function possibleFindings({ kind, choices, min, max }: DraftQuestion): readonly string[] {
  if (kind === 'yes_no') return ['yes', 'no']
  if (kind === 'reading') return min.trim() === '' && max.trim() === '' ? [] : ['out_of_range']
  return kind === 'choice' ? choices.filter((choice) => choice.trim() !== '') : []
}

export function renameSection(draft: ChecklistDraft, id: string, title: string): ChecklistDraft {
  const entries = draft.entries.map((entry) =>
    entry.id === id && entry.type === 'section' ? { ...entry, title: title.slice(0, SECTION_MAX) } : entry,
  )
  return { ...draft, entries }
}

/** Removes an entry; the questions of a section join the one above. */
export function removeEntry(draft: ChecklistDraft, id: string): ChecklistDraft {
  return { ...draft, entries: draft.entries.filter((entry) => entry.id !== id) }
}

/** Duplicates a question, or a section with its questions. @returns also the id of the copy */
export function duplicateEntry(
  draft: ChecklistDraft,
  id: string,
): { readonly draft: ChecklistDraft; readonly id: string } {
  const block = blockOf(draft, id)
  const copies = block.map((entry) => ({ ...entry, id: uuidV7() }))
  return { draft: insertAfter(draft, block.at(-1)?.id, copies), id: copies[0]?.id ?? id }
}

/** Returns an entry with what moves along: a section's questions. */
function blockOf({ entries }: ChecklistDraft, id: string): readonly DraftEntry[] {
  const at = entries.findIndex((entry) => entry.id === id)
  const entry = entries[at]
  if (!entry || entry.type === 'question') return entry ? [entry] : []
  const next = entries.findIndex((other, place) => place > at && other.type === 'section')
  return entries.slice(at, next === -1 ? undefined : next)
}

/** Moves an entry to the place of another one. A section takes its questions along, and does not move into itself. */
export function moveEntry(draft: ChecklistDraft, id: string, over: string): ChecklistDraft {
  const block = blockOf(draft, id)
  const ids = new Set(block.map((entry) => entry.id))
  if (ids.has(over) || block.length === 0) return draft
  const from = draft.entries.findIndex((entry) => entry.id === id)
  const to = draft.entries.findIndex((entry) => entry.id === over)
  if (to === -1) return draft
  const rest = draft.entries.filter((entry) => !ids.has(entry.id))
  const target = rest.findIndex((entry) => entry.id === over)
  return { ...draft, entries: rest.toSpliced(from < to ? target + 1 : target, 0, ...block) }
}

/** Moves an entry one place up or down; a section by a whole section. */
export function stepEntry(draft: ChecklistDraft, id: string, by: -1 | 1): ChecklistDraft {
  const block = blockOf(draft, id)
  const first = draft.entries.findIndex((entry) => entry.id === id)
  const isSection = block[0]?.type === 'section'
  const above = isSection
    ? (draft.entries.findLast((entry, at) => at < first && entry.type === 'section') ?? draft.entries[first - 1])
    : draft.entries[first - 1]
  const after = draft.entries[first + block.length]
  const below = isSection && after ? blockOf(draft, after.id).at(-1) : after
  const over = by === -1 ? above : below
  return over === undefined ? draft : moveEntry(draft, id, over.id)
}

/** What is wrong with an entry, by its id. */
export type DraftProblem = 'prompt' | 'section' | 'choices' | 'number' | 'limits'

export function problemsOf(
  { entries }: ChecklistDraft,
  toNumber: (text: string) => number | undefined,
): ReadonlyMap<string, DraftProblem> {
  const problemOf = (entry: DraftEntry): DraftProblem | undefined => {
    if (entry.type === 'section') return entry.title.trim() === '' ? 'section' : undefined
    if (entry.prompt.trim() === '') return 'prompt'
    if (entry.kind === 'choice' && choicesOf(entry).length < 2) return 'choices'
    if (entry.kind !== 'reading') return undefined
    const [min, max] = [entry.min, entry.max].map((text) => (text.trim() === '' ? null : toNumber(text)))
    if (min === undefined || max === undefined) return 'number'
    return min !== null && max !== null && min > max ? 'limits' : undefined
  }
  return new Map(
    entries.flatMap((entry) => {
      const problem = problemOf(entry)
      return problem === undefined ? [] : [[entry.id, problem] as const]
    }),
  )
}

/** Returns the options of a question, without empty and repeated ones. */
export function choicesOf({ choices }: DraftQuestion): readonly string[] {
  return [...new Set(choices.map((choice) => choice.trim()).filter((choice) => choice !== ''))]
}

const BULLET = /^\s*(?:[-*•–☐▢□]|\d{1,3}[.)]|[a-z][.)])\s+/iu

/**
 * Parses pasted lines, of which each becomes a question. Bullets and numbers are dropped; a line that ends with a colon or begins with `#` becomes a section. Of
 * cells of a spreadsheet the first one of each row counts.
 */
export function entriesFromLines(text: string): readonly DraftEntry[] {
  return text.split(/\r?\n/).flatMap((line): readonly DraftEntry[] => {
    const cell = unquoted(line.split('\t').find((one) => one.trim() !== '') ?? '').trim()
    const words = cell.replace(BULLET, '').trim()
    if (words === '') return []
    const heading = /^#+\s*(.+)$/.exec(words)?.[1] ?? /^(.+[^:]):$/.exec(words)?.[1]
    if (heading !== undefined) return [newSection(heading.trim().slice(0, SECTION_MAX))]
    return [newQuestion(words.slice(0, PROMPT_MAX))]
  })
}

/** Removes the quotes with which spreadsheets copy cells. */
function unquoted(cell: string): string {
  return /^".*"$/s.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

/** Returns the questions with the titles of their sections. */
export function questionsIn({
  entries,
}: ChecklistDraft): readonly { readonly question: DraftQuestion; readonly section: string }[] {
  let section = ''
  return entries.flatMap((entry) => {
    if (entry.type === 'question') return [{ question: entry, section }]
    section = entry.title.trim()
    return []
  })
}
