import type { JSX } from 'react'
import type { GlyphName } from '../lib/glyph-name.ts'
import type { RecordState } from '../lib/records/record-state.ts'
import { stateMessages as words } from '../messages/states.ts'

const SHAPES: Readonly<Record<GlyphName, JSX.Element>> = {
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  'arrow-up': <path d="M8 13V3M3.75 7.25 8 3l4.25 4.25" />,
  'arrow-down': <path d="M8 3v10m4.25-4.25L8 13 3.75 8.75" />,
  'dotted-check': (
    <>
      <circle cx="8" cy="8" r="6.25" strokeDasharray="0.1 2.7" />
      <path d="m5.4 8.2 1.8 1.8 3.4-3.8" />
    </>
  ),
  shield: <path d="M8 1.8 13 3.6v4c0 3.2-2.1 5.4-5 6.6-2.9-1.2-5-3.4-5-6.6v-4ZM8 5.6v2.6M8 10.4v.1" />,
  gap: <path d="M2.5 4h11M2.5 8h3m5 0h3M2.5 12h11" />,
  film: (
    <>
      <rect x="1.8" y="3" width="12.4" height="10" rx="1.6" />
      <path d="M6.6 6v4l3.4-2Z" />
    </>
  ),
  check: <path d="m3 8.6 3.2 3.2L13 4.6" />,
  triangle: (
    <>
      <path d="M8 2.2 14.6 13.6H1.4Z" />
      <path d="M8 6.6v3.2M8 11.7v.1" />
    </>
  ),
  link: (
    <>
      <path d="M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.6.6" />
      <path d="M9.4 6.6a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.6-.6" />
    </>
  ),
  ghost: (
    <>
      <path d="M3.5 13.5V7a4.5 4.5 0 0 1 9 0v6.5l-1.5-1.2-1.5 1.2L8 12.3l-1.5 1.2L5 12.3Z" />
      <path d="M6.3 7.2v.1M9.7 7.2v.1" />
    </>
  ),
  'cloud-off': (
    <>
      <path d="M5.2 5.1A4 4 0 0 0 4.5 13H11m2.2-1.1a2.8 2.8 0 0 0-1.4-5 4 4 0 0 0-3.9-3" />
      <path d="m2 2 12 12" />
    </>
  ),
  question: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M6.2 6.4a1.9 1.9 0 1 1 2.9 1.7c-.7.4-1.1.7-1.1 1.3M8 11.4v.1" />
    </>
  ),
  'no-answer': (
    <>
      <path d="M2 6.2a8.5 8.5 0 0 1 12 0M4.6 9.2a4.8 4.8 0 0 1 6.8 0M8 12.6v.1" />
      <path d="m2.5 2 11 12" />
    </>
  ),
  octagon: (
    <>
      <path d="M5.5 1.8h5l3.7 3.7v5l-3.7 3.7h-5l-3.7-3.7v-5Z" />
      <path d="M8 5v3.4M8 10.9v.1" />
    </>
  ),
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="3" />
      <path d="m7.4 8.6 6-6M10.6 5.4l2 2" />
    </>
  ),
}

/**
 * One of the app's glyphs, distinguishable by shape without colour.
 *
 * @param label - accessible name; omit beside text
 */
export function StateGlyph({
  name,
  label,
  size = 16,
}: {
  readonly name: GlyphName
  readonly label?: string
  readonly size?: number
}): JSX.Element {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {SHAPES[name]}
    </svg>
  )
}

/** Appearance of each state; labels are in `messages/states.ts`. */
export const RECORD_STATES: Readonly<
  Record<Exclude<RecordState, 'clean'>, { readonly glyph: GlyphName; readonly tone: string }>
> = {
  waiting: { glyph: 'clock', tone: 'text-muted' },
  sending: { glyph: 'arrow-up', tone: 'text-info' },
  confirming: { glyph: 'dotted-check', tone: 'text-success' },
  rejected: { glyph: 'triangle', tone: 'text-danger' },
  held: { glyph: 'link', tone: 'text-warning' },
  gone: { glyph: 'ghost', tone: 'text-muted' },
}

/** Mark of a record's state: a labelled glyph, or glyph and text. Nothing for a clean record. */
export function RecordStateMark({
  state,
  hasWord = false,
  says,
  percent,
}: {
  readonly state: RecordState
  readonly hasWord?: boolean
  /** Replaces the state's label. */
  readonly says?: string | undefined
  /** Progress, visual only because it changes often. */
  readonly percent?: string | undefined
}): JSX.Element | null {
  if (state === 'clean') return null
  const { glyph, tone } = RECORD_STATES[state]
  const word = says ?? words[state]
  return (
    <span
      className={`inline-flex items-center gap-1.5 text-small ${tone}`}
      title={hasWord ? undefined : [word, percent].filter(Boolean).join(' ')}
    >
      <StateGlyph name={glyph} {...(hasWord ? {} : { label: word })} />
      {hasWord ? word : null}
      {hasWord && percent !== undefined ? (
        <span aria-hidden className="tabular-nums">
          {percent}
        </span>
      ) : null}
    </span>
  )
}
