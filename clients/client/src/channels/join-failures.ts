import { isRefusal } from './channel-state.ts'

/** What keeps a channel from being joined. */
export type Trouble =
  | { readonly kind: 'none'; readonly failures: number }
  /** Joined again after a delay. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly failures: number }
  /** The delay is over, and the channel is not joined yet. */
  | { readonly kind: 'retrying'; readonly reason: string; readonly failures: number }
  /** Not joined again before the user or the token changes. */
  | { readonly kind: 'refused'; readonly reason: string; readonly failures: number }

export type TroubleEvent =
  /** `isStable`: the channel was joined for long enough that earlier failures do not count. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isStable: boolean }
  | { readonly kind: 'delay over' }
  | { readonly kind: 'joined' }
  /** The user or the token has changed. */
  | { readonly kind: 'reset' }

export const NO_TROUBLE: Trouble = { kind: 'none', failures: 0 }

/** Applies an event. A membership that has failed may report it again before it is left: only the first report counts. */
export function transition(trouble: Trouble, event: TroubleEvent): Trouble {
  switch (event.kind) {
    case 'failed': {
      if (isHoldingBack(trouble)) return trouble
      const { reason } = event
      const failures = (event.isStable ? 0 : trouble.failures) + 1
      return { kind: isRefusal(reason) ? 'refused' : 'waiting', reason, failures }
    }
    case 'delay over':
      return trouble.kind === 'waiting' ? { ...trouble, kind: 'retrying' } : trouble
    case 'joined':
      return { kind: 'none', failures: trouble.failures }
    case 'reset':
      return NO_TROUBLE
  }
}

/** Whether the channel must not be joined now. */
export function isHoldingBack({ kind }: Trouble): boolean {
  return kind === 'waiting' || kind === 'refused'
}
