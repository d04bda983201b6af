import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { RECORD_STATES, StateGlyph } from '../../components/state-glyph.tsx'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { syncWords } from './sync-words.ts'

/** What the record is, where it stands in its life, and where the newest change of it is. */
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
  readonly choice: string | undefined
  readonly mark: RecordMark | undefined
  /** In place of the sync state, for a draft. */
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
        {choice === undefined ? null : <ChoiceChip choice={choice} />}
        {badge ?? <SyncLine mark={mark} />}
      </div>
    </header>
  )
}

/** "Saved on this device 14:02 · not sent yet", then "Accepted by the server 14:02". */
function SyncLine({ mark }: { readonly mark: RecordMark | undefined }): JSX.Element {
  const state = mark?.state ?? 'clean'
  const acceptedAt = useAcceptedAt(state)
  const looks = state === 'clean' ? { glyph: 'check' as const, tone: 'text-muted' } : RECORD_STATES[state]
  return (
    <p role="status" className={`inline-flex items-center gap-1.5 text-small ${looks.tone}`}>
      <StateGlyph name={looks.glyph} size={14} />
      {syncWords(state, mark?.savedAt, acceptedAt)}
    </p>
  )
}

/** When this screen saw a change of the record become clean. */
function useAcceptedAt(state: RecordMark['state']): Date | undefined {
  const [acceptedAt, setAcceptedAt] = useState<Date>()
  const before = useRef(state)
  // The moment is not in the data; it is when the mark went away.
  useEffect(() => {
    const wasSent = before.current === 'confirming' || before.current === 'sending' || before.current === 'waiting'
    before.current = state
    if (state === 'clean' && wasSent) setAcceptedAt(new Date())
    else if (state !== 'clean') setAcceptedAt(undefined)
  }, [state])
  return acceptedAt
}
