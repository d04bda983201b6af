/** Whose device this is at the moment. */
export interface SessionUser {
  readonly id: string
  readonly email: string | undefined
}

/**
 * `active` lasts through being offline, also past the token's end. `expired`: the server ended the session; the person's local data stays
 * readable and writable, and syncs again after signing in.
 */
export type SessionState =
  | { readonly kind: 'booting' }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'active'; readonly user: SessionUser }
  | { readonly kind: 'expired'; readonly user: SessionUser }

export type SessionEvent =
  /** What the device remembers at its start. */
  | { readonly kind: 'restored'; readonly session: SessionUser | undefined; readonly lastUser: SessionUser | undefined }
  /** The server knows the person: signed in, refreshed or changed. */
  | { readonly kind: 'confirmed'; readonly user: SessionUser }
  /** The session is gone, not by the person's wish. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'left' }
  /** The person opens an account of this device without signing in. */
  | { readonly kind: 'opened_locally'; readonly user: SessionUser }

export function nextSession(state: SessionState, event: SessionEvent): SessionState {
  switch (event.kind) {
    case 'restored':
      // An event of the auth client may have come first, and knows better.
      if (state.kind !== 'booting') return state
      if (event.session) return { kind: 'active', user: event.session }
      return event.lastUser ? { kind: 'expired', user: event.lastUser } : { kind: 'signed_out' }
    case 'confirmed':
      return state.kind === 'active' && state.user.id === event.user.id && state.user.email === event.user.email
        ? state
        : { kind: 'active', user: event.user }
    case 'ended':
      return state.kind === 'active' ? { kind: 'expired', user: state.user } : state
    case 'left':
      return { kind: 'signed_out' }
    case 'opened_locally':
      return state.kind === 'active' ? state : { kind: 'expired', user: event.user }
    default:
      return event satisfies never
  }
}
