import { syncMenuMessages as words } from '../../messages/sync-menu.ts'
import type { ChipLooks } from './sync-chip.ts'

/** What a screen says of rows that have never been on this device. */
export type FirstRows =
  /** They are on their way: a moment to wait for. */
  | { readonly kind: 'coming'; readonly text: string }
  /** Nothing brings them now; `text` says what would. */
  | { readonly kind: 'held'; readonly text: string }

/**
 * What to say before the first sync has ended, in agreement with the sync chip.
 *
 * @param percent - of the rows that are here, 0 to 100; undefined while their number is not known
 */
export function firstRows(looks: Pick<ChipLooks, 'kind' | 'text' | 'detail'>, percent: number | undefined): FirstRows {
  switch (looks.kind) {
    case 'offline':
    case 'no_answer':
      return { kind: 'held', text: words.firstRowsOffline }
    case 'paused':
      return { kind: 'held', text: words.firstRowsPaused }
    case 'sign_in_needed':
      return { kind: 'held', text: words.firstRowsSignIn }
    case 'second_factor_needed':
      return { kind: 'held', text: words.firstRowsSecondFactor }
    case 'blocked':
      return { kind: 'held', text: looks.detail }
    case 'connecting':
    case 'checking':
    case 'reconnecting':
      return { kind: 'coming', text: looks.text }
    default:
      return { kind: 'coming', text: words.receiving(percent) }
  }
}
