/** State of a channel membership. */
export type MembershipState =
  /** Checking the token and, for private channels, the rights. */
  | { readonly kind: 'joining' }
  | { readonly kind: 'joined' }
  /** Nothing more is sent. */
  | { readonly kind: 'closed'; readonly because: CloseReason }

export type CloseReason = 'refused' | 'left' | 'replaced' | 'ended' | 'cut' | 'disconnected'

export type MembershipEvent = { readonly kind: 'accepted' } | { readonly kind: 'closed'; readonly because: CloseReason }

/** Closed is final: a late response from Postgres cannot reopen it. */
export function nextState(state: MembershipState, event: MembershipEvent): MembershipState {
  if (state.kind === 'closed') return state
  if (event.kind === 'closed') return { kind: 'closed', because: event.because }
  return { kind: 'joined' }
}
