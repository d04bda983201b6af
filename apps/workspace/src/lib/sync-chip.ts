import { describeSyncState, type SyncState } from '@holdfast/client'
import { formatClock, formatCount, formatMoment, plural } from './format.ts'
import type { GlyphName } from './glyph-name.ts'

/** What the sync chip shows: always a shape and words, never colour alone. */
export interface ChipLooks {
  readonly kind: SyncState['kind'] | 'paused'
  readonly glyph: GlyphName | 'spinner'
  readonly text: string
  /** One sentence for the menu and the home screen. */
  readonly detail: string
  readonly tone: 'quiet' | 'info' | 'warning' | 'danger'
}

/** Facts besides the state itself. */
export interface ChipFacts {
  /** Changes in the outbox. */
  readonly waiting: number
  /** The person has paused sync on this device. */
  readonly isPaused: boolean
  readonly isConnected: boolean
}

/**
 * How the chip looks in a state of sync. While sync is paused, what needs a decision is still shown first. Without a
 * connection nothing is called up to date, also in the first seconds.
 */
export function chipLooks(state: SyncState, { waiting, isPaused, isConnected }: ChipFacts): ChipLooks {
  const asks = ['attention', 'blocked', 'sign_in_needed', 'second_factor_needed'].includes(state.kind)
  if (isPaused && !asks) {
    return {
      kind: 'paused',
      glyph: 'cloud-off',
      tone: 'warning',
      text: waiting === 0 ? 'Sync paused' : `Sync paused · ${formatCount(waiting)} waiting`,
      detail: `You paused sync on this device.${outbox(waiting)}`,
    }
  }
  if (!isConnected && (state.kind === 'up_to_date' || state.kind === 'receiving')) {
    const detail =
      state.kind === 'up_to_date' ? lastChecked(state.lastSyncedAt) : 'The server is being asked for your rows.'
    return { kind: 'connecting', glyph: 'spinner', tone: 'quiet', text: 'Connecting', detail }
  }
  return { kind: state.kind, text: textOf(state), ...looksOf(state, waiting) }
}

function textOf(state: SyncState): string {
  return state.kind === 'no_answer' ? `No answer since ${formatMoment(state.since)}` : describeSyncState(state)
}

function looksOf(state: SyncState, waiting: number): Pick<ChipLooks, 'glyph' | 'tone' | 'detail'> {
  switch (state.kind) {
    case 'up_to_date':
      return { glyph: 'check', tone: 'quiet', detail: lastChecked(state.lastSyncedAt) }
    case 'sending':
      return { glyph: 'arrow-up', tone: 'info', detail: `The server is judging ${plural(state.waiting, 'change')}.` }
    case 'receiving':
      return { glyph: 'arrow-down', tone: 'info', detail: 'Rows are coming to this device.' }
    case 'waiting':
      return { glyph: 'clock', tone: 'warning', detail: outbox(state.waiting).trim() }
    case 'offline':
      return { glyph: 'cloud-off', tone: 'warning', detail: `You can go on working.${outbox(state.waiting)}` }
    case 'connecting':
      return { glyph: 'spinner', tone: 'quiet', detail: `The connection is being made.${outbox(waiting)}` }
    case 'checking':
      return {
        glyph: 'question',
        tone: 'quiet',
        detail: `Nothing has come from the server for a while. It is being asked.${outbox(waiting)}`,
      }
    case 'no_answer':
      return {
        glyph: 'no-answer',
        tone: 'warning',
        detail: `The server does not answer. You can go on working.${outbox(waiting)}`,
      }
    case 'reconnecting':
      return { glyph: 'spinner', tone: 'warning', detail: `The connection is being made again.${outbox(waiting)}` }
    case 'incomplete':
      return {
        glyph: 'gap',
        tone: 'warning',
        detail: 'Rows that you may see are missing on this device. The sync centre says which, and why.',
      }
    case 'attention':
      return {
        glyph: 'triangle',
        tone: 'danger',
        detail: `The server did not accept ${state.attention === 1 ? 'a change. It is' : 'some changes. They are'} kept here until you decide.`,
      }
    case 'sign_in_needed':
      return { glyph: 'key', tone: 'warning', detail: `You can go on working.${outbox(waiting)}` }
    case 'second_factor_needed':
      return {
        glyph: 'shield',
        tone: 'warning',
        detail: `You can go on working. Your second step is asked for before anything is sent or received.${outbox(waiting)}`,
      }
    case 'blocked':
      return {
        glyph: 'octagon',
        tone: 'danger',
        detail: `The server refused to sync (${state.code}). Tell your operator.`,
      }
  }
}

function outbox(waiting: number): string {
  if (waiting === 0) return ''
  return ` ${plural(waiting, 'change')} on this device ${waiting === 1 ? 'is' : 'are'} not sent yet.`
}

function lastChecked(at: Date | undefined): string {
  return at === undefined ? 'Not checked yet.' : `Last checked ${formatClock(at)}.`
}
