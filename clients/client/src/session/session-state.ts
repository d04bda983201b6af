/** The device's current user. */
export interface SessionUser {
  readonly id: string
  readonly email: string | undefined
}

/**
 * `active` persists offline, even after the token expires. `expired`: the server ended the session; local data stays readable and writable, and syncs after
 * signing in. `second_factor`: the session lacks the user's second factor; local data as in `expired`, and syncs once it is provided.
 */
export type SessionState =
  | { readonly kind: 'booting' }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'active'; readonly user: SessionUser }
  | { readonly kind: 'second_factor'; readonly user: SessionUser }
  | { readonly kind: 'expired'; readonly user: SessionUser }

/** User information in a session. */
export interface Confirmed {
  readonly user: SessionUser
  readonly needsSecondFactor: boolean
}

export type SessionEvent =
  /** Restored from the device at startup. */
  | { readonly kind: 'restored'; readonly session: Confirmed | undefined; readonly lastUser: SessionUser | undefined }
  /** The server confirmed the user: signed in, refreshed or updated. */
  | ({ readonly kind: 'confirmed' } & Confirmed)
  /** The session ended, but not at the user's request. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'left' }
  /** The user opens a local account without signing in. */
  | { readonly kind: 'opened_locally'; readonly user: SessionUser }

export function nextSession(state: SessionState, event: SessionEvent): SessionState {
  switch (event.kind) {
    case 'restored':
      // An earlier event of the auth client takes precedence.
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

/** Whether the user is signed in, even if a second factor is missing. */
export function hasSession(state: SessionState): state is WithSession {
  return state.kind === 'active' || state.kind === 'second_factor'
}

function stateOf({ user, needsSecondFactor }: Confirmed): WithSession {
  return { kind: needsSecondFactor ? 'second_factor' : 'active', user }
}
