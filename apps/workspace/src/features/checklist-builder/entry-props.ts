import { builderMessages as words } from '../../messages/checklist-builder.ts'
import type { AnswerKind } from '../../lib/checklists/checklist.ts'
import type { ChecklistDraft, DraftEntry, DraftProblem } from './builder-draft.ts'

export interface EntryListProps {
  readonly draft: ChecklistDraft
  readonly active: string | undefined
  readonly problems: ReadonlyMap<string, DraftProblem>
  readonly hasFindings: boolean
  /** Kinds with files that the table can store. */
  readonly fileKinds: ReadonlySet<AnswerKind>
  readonly onActive: (id: string | undefined) => void
  readonly onChange: (draft: ChecklistDraft) => void
}

/** Returns what an entry is called. */
export function nameOf(entry: DraftEntry): string {
  const text = entry.type === 'section' ? entry.title : entry.prompt
  return text.trim() === '' ? (entry.type === 'section' ? words.section : words.untitled) : text
}
