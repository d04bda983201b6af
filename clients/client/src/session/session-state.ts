/** Whose device this is at the moment. */
export interface SessionUser {
  readonly id: string
  readonly email: string | undefined
}

/**
 * `active` lasts through being offline, also past the token's end. `expired`: the server ended the session; the person's local data stays
 * readable and writable, and syncs again after signing in. `second_factor`: the person has a second factor and has not given it in this session;
 * local data is as with `expired`, and syncs once it is given.
 */
export type SessionState =
  | { readonly kind: 'booting' }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'active'; readonly user: SessionUser }
  | { readonly kind: 'second_factor'; readonly user: SessionUser }
  | { readonly kind: 'expired'; readonly user: SessionUser }

/** What a session says of its person. */
export interface Confirmed {
  readonly user: SessionUser
  readonly needsSecondFactor: boolean
}

export type SessionEvent =
  /** What the device remembers at its start. */
  | { readonly kind: 'restored'; readonly session: Confirmed | undefined; readonly lastUser: SessionUser | undefined }
  /** The server knows the person: signed in, refreshed or changed. */
  | ({ readonly kind: 'confirmed' } & Confirmed)
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
      if (event.session) return stateOf(event.session)
      return event.lastUser ? { kind: 'expired', user: event.lastUser } : { kind: 'signed_out' }
    case 'confirmed': {
      const next = stateOf(event)
      return 'user' in state &&
        state.kind === next.kind &&
        state.user.id === next.user.id &&
        state.user.email === next.user.email
        ? state
        : next
    }
    case 'ended':
      return hasSession(state) ? { kind: 'expired', user: state.user } : state
    case 'left':
      return { kind: 'signed_out' }
    case 'opened_locally':
      return hasSession(state) ? state : { kind: 'expired', user: event.user }
    default:
      return event satisfies never
  }
}

type WithSession = Extract<SessionState, { kind: 'active' | 'second_factor' }>

/** Whether the person is signed in, whatever is still asked of them. */
export function hasSession(state: SessionState): state is WithSession {
  return state.kind === 'active' || state.kind === 'second_factor'
}

function stateOf({ user, needsSecondFactor }: Confirmed): WithSession {
  return { kind: needsSecondFactor ? 'second_factor' : 'active', user }
}
