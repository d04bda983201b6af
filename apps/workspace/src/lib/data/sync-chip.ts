import type { SyncState } from '@holdfast/client'
import { chipMessages as words } from '../../messages/chip.ts'
import { photoMessages } from '../../messages/photos.ts'
import type { GlyphName } from '../glyph-name.ts'

/** Content of the sync chip: always shape and text, never colour alone. */
export interface ChipLooks {
  readonly kind: SyncState['kind'] | 'paused'
  readonly glyph: GlyphName | 'spinner'
  readonly text: string
  /** One sentence for menu and home screen. */
  readonly detail: string
  readonly tone: 'quiet' | 'info' | 'warning' | 'danger'
}

/** Facts besides the sync state. */
export interface ChipFacts {
  /** Changes in the outbox. */
  readonly waiting: number
  /** The user has paused sync on this device. */
  readonly isPaused: boolean
  readonly isConnected: boolean
}

/** Derives the chip from the sync state. While paused, items needing a decision still come first. Without a connection nothing is called up to date. */
export function chipLooks(state: SyncState, { waiting, isPaused, isConnected }: ChipFacts): ChipLooks {
  const asks = ['attention', 'blocked', 'sign_in_needed', 'second_factor_needed'].includes(state.kind)
  if (isPaused && !asks) {
    return {
      kind: 'paused',
      glyph: 'cloud-off',
      tone: 'warning',
      text: words.paused(waiting),
      detail: withUnsent(words.pausedDetail, waiting),
    }
  }
  if (!isConnected && (state.kind === 'up_to_date' || state.kind === 'receiving')) {
    const detail = state.kind === 'up_to_date' ? words.lastChecked(state.lastSyncedAt) : words.asked
    return { kind: 'connecting', glyph: 'spinner', tone: 'quiet', text: words.connecting, detail }
  }
  return { kind: state.kind, ...looksOf(state, waiting) }
}

function looksOf(state: SyncState, waiting: number): Omit<ChipLooks, 'kind'> {
  switch (state.kind) {
    case 'up_to_date':
      return { glyph: 'check', tone: 'quiet', text: words.upToDate, detail: words.lastChecked(state.lastSyncedAt) }
    case 'sending':
      return {
        glyph: 'arrow-up',
        tone: 'info',
        text: words.sending(state.waiting),
        detail: words.sendingDetail(state.waiting),
      }
    case 'receiving': {
      const percent = state.fraction === undefined ? undefined : Math.floor(state.fraction * 100)
      return { glyph: 'arrow-down', tone: 'info', text: words.receiving(percent), detail: words.receivingDetail }
    }
    case 'waiting':
      return {
        glyph: 'clock',
        tone: 'warning',
        text: words.waiting(state.waiting),
        detail: words.notSent(state.waiting),
      }
    case 'offline':
      return {
        glyph: 'cloud-off',
        tone: 'warning',
        text: words.offline(state.waiting),
        detail: withUnsent(words.goOn, state.waiting),
      }
    case 'connecting':
      return looks('spinner', 'quiet', words.connecting, words.connectingDetail, waiting)
    case 'checking':
      return looks('question', 'quiet', words.checking, words.checkingDetail, waiting)
    case 'no_answer':
      return looks('no-answer', 'warning', words.noAnswer(state.since), words.noAnswerDetail, waiting)
    case 'reconnecting':
      return looks('spinner', 'warning', words.reconnecting, words.reconnectingDetail, waiting)
    case 'incomplete':
      return { glyph: 'gap', tone: 'warning', text: words.incomplete(state.tables), detail: words.incompleteDetail }
    case 'attention':
      return {
        glyph: 'triangle',
        tone: 'danger',
        text: words.attention(state.attention),
        detail: words.attentionDetail(state.attention),
      }
    case 'sign_in_needed':
      return looks('key', 'warning', words.signIn, words.goOn, waiting)
    case 'second_factor_needed':
      return looks('shield', 'warning', words.secondFactor, words.secondFactorDetail, waiting)
    case 'blocked':
      return { glyph: 'octagon', tone: 'danger', text: words.blocked, detail: words.blockedDetail(state.code) }
  }
}

function looks(
  glyph: ChipLooks['glyph'],
  tone: ChipLooks['tone'],
  text: string,
  detail: string,
  waiting: number,
): Omit<ChipLooks, 'kind'> {
  return { glyph, tone, text, detail: withUnsent(detail, waiting) }
}

function withUnsent(detail: string, waiting: number): string {
  return waiting === 0 ? detail : `${detail} ${words.notSent(waiting)}`
}

/** Files being uploaded. */
export interface FilesUnderWay {
  readonly count: number
  /** 0 to 100 of their total bytes, while sending. */
  readonly percent: number | undefined
}

/** Reports pending files if all rows are up to date. */
export function withFiles(looks: ChipLooks, { count, percent }: FilesUnderWay): ChipLooks {
  if (looks.kind !== 'up_to_date' || count === 0) return looks
  const detail = photoMessages.chipDetail(count)
  return percent === undefined
    ? { kind: 'waiting', glyph: 'clock', tone: 'warning', text: photoMessages.chipWaiting(count), detail }
    : { kind: 'sending', glyph: 'arrow-up', tone: 'info', text: photoMessages.chipSending(count, percent), detail }
}
