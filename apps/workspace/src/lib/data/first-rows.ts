import { syncMenuMessages as words } from '../../messages/sync-menu.ts'
import type { ChipLooks } from './sync-chip.ts'

/** Message for rows that were never on this device. */
export type FirstRows =
  /** Rows are arriving. */
  | { readonly kind: 'coming'; readonly text: string }
  /** Nothing is bringing rows; `text` says what would. */
  | { readonly kind: 'held'; readonly text: string }

/**
 * Returns the message before the end of the first sync, consistent with the sync chip.
 *
 * @param percent - of received rows, 0 to 100; `undefined` if unknown
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
