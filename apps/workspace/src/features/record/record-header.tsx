import { type JSX, type ReactNode, useState } from 'react'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { RECORD_STATES, StateGlyph } from '../../components/state-glyph.tsx'
import { fileWords } from '../../lib/records/file-words.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import type { RecordFacts } from './record-facts.ts'
import { syncWords } from './sync-words.ts'

/** The record's title, its state and the sync state of its newest change. */
export function RecordHeader({
  level,
  overline,
  title,
  choice,
  mark,
  badge,
  actions,
}: {
  readonly level: 'h1' | 'h2'
  readonly overline: string
  readonly title: string
  /** The record's own state, such as `doing`. */
  readonly choice: RecordFacts['choice']
  readonly mark: RecordMark | undefined
  /** For drafts: replaces the sync state. */
  readonly badge: ReactNode
  readonly actions: ReactNode
}): JSX.Element {
  const Heading = level
  return (
    <header className="flex flex-col gap-2 border-b border-border px-4 pt-2 pb-3">
      <div className="flex items-center justify-between gap-2">
        <p className="truncate text-small text-muted">{overline}</p>
        <div className="flex items-center">{actions}</div>
      </div>
      <Heading tabIndex={-1} className="text-title [overflow-wrap:anywhere] outline-none">
        {title}
      </Heading>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {choice === undefined ? null : <ChoiceChip {...choice} />}
        {badge ?? <SyncLine mark={mark} />}
      </div>
    </header>
  )
}

/** "Saved on this device 14:02 · not sent yet", then "Saved on this device 14:02 · accepted by the server". */
function SyncLine({ mark }: { readonly mark: RecordMark | undefined }): JSX.Element {
  const state = mark?.state ?? 'clean'
  const savedAt = useSavedAt(mark)
  const files = fileWords(mark)
  const looks = state === 'clean' ? { glyph: 'check' as const, tone: 'text-muted' } : RECORD_STATES[state]
  return (
    <p role="status" className={`inline-flex items-center gap-1.5 text-small ${looks.tone}`}>
      <StateGlyph name={looks.glyph} size={14} />
      {files === undefined ? syncWords(state, savedAt) : files.text}
      {files?.percent === undefined ? null : (
        <span aria-hidden className="tabular-nums">
          {files.percent}
        </span>
      )}
    </p>
  )
}

/**
 * Returns when the pending change was made. Keeps the time once the server accepts the change. Clears it if the change is rejected, because discarding it does
 * not make it accepted.
 */
function useSavedAt(mark: RecordMark | undefined): Date | undefined {
  const [savedAt, setSavedAt] = useState<Date>()
  const isRefused = mark?.state === 'rejected' || mark?.state === 'held' || mark?.state === 'gone'
  const next = isRefused ? undefined : (mark?.savedAt ?? savedAt)
  if (next?.getTime() !== savedAt?.getTime()) setSavedAt(next)
  return next
}
