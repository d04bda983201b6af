/** Where a membership of a channel stands. */
export type MembershipState =
  /** Its token, and for private channels its rights, are being asked. */
  | { readonly kind: 'joining' }
  | { readonly kind: 'joined' }
  /** Nothing is sent for it any more. */
  | { readonly kind: 'closed'; readonly because: CloseReason }

export type CloseReason = 'refused' | 'left' | 'replaced' | 'ended' | 'cut' | 'disconnected'

export type MembershipEvent = { readonly kind: 'accepted' } | { readonly kind: 'closed'; readonly because: CloseReason }

/** A closed membership stays closed: an answer of Postgres that comes late joins nothing. */
export function nextState(state: MembershipState, event: MembershipEvent): MembershipState {
  if (state.kind === 'closed') return state
  if (event.kind === 'closed') return { kind: 'closed', because: event.because }
  return { kind: 'joined' }
}
