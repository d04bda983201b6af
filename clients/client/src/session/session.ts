import {
  isAuthApiError,
  isAuthRetryableFetchError,
  type Session as AuthSession,
  type SupabaseClient,
} from '@supabase/supabase-js'
import { readJson, whenRemovedElsewhere, type KeyValueStore } from '../key-value.ts'
import { createValue, type Value } from '../value.ts'
import { claimsText, needsSecondFactor } from './assurance.ts'
import {
  hasSession,
  nextSession,
  type Confirmed,
  type SessionEvent,
  type SessionState,
  type SessionUser,
} from './session-state.ts'
import type { TokenSource } from './token-source.ts'

/** Storage key of supabase-js's session. */
export const SESSION_KEY = 'holdfast-auth'
const LAST_USER_KEY = 'holdfast-last-user'

export interface UserTokens extends TokenSource {
  /** Returns the current token and its expiry for the sync stream; `undefined` if signing in is required. @throws if it cannot be determined now */
  credentials(): Promise<{ readonly token: string; readonly expiresAt: Date | undefined } | undefined>
  /** Verifies with the server that an unexpired session is still valid, and ends it locally if not. Never throws. */
  verify(): Promise<void>
}

export interface TokenClaims {
  readonly userId: string
  /** Changes when policies may give different results. */
  readonly text: string
}

export interface Session extends Disposable {
  readonly state: Value<SessionState>
  /** User and claims of the current token, if any. */
  readonly claims: Value<TokenClaims | undefined>
  /** Tokens restricted to one user, so that a queue is never uploaded as the next user. None while the second factor is missing. */
  tokensOf(userId: string): UserTokens
  /** Signs out on this device only, in all tabs, even offline. Local data stays. */
  leave(): Promise<void>
  /** Opens a local account without a session; it syncs after signing in. No-op while a user is signed in. */
  openLocally(user: SessionUser): Promise<void>
}

/**
 * Tracks the signed-in user. The stored session is effective immediately, without network, so users stay signed in on devices offline for weeks.
 *
 * @param onProblem - receives why the store cannot be read; the user must then sign in again
 */
export function openSession(
  supabase: SupabaseClient,
  store: KeyValueStore,
  onProblem: (error: unknown) => void,
): Session {
  const state = createValue<SessionState>({ kind: 'booting' })
  const claims = createValue<TokenClaims | undefined>(undefined)
  let leaving = false

  const { data } = supabase.auth.onAuthStateChange((event, session) => {
    claims.set(session ? { userId: session.user.id, text: claimsText(session.access_token) } : undefined)
    if (session) {
      const confirmed = toConfirmed(session)
      void store.setItem(LAST_USER_KEY, JSON.stringify(confirmed.user))
      apply({ kind: 'confirmed', ...confirmed })
    } else if (event === 'SIGNED_OUT') {
      apply(leaving ? { kind: 'left' } : { kind: 'ended' })
    }
  })
  // The auth client notifies all tabs of a session's end but not of its cause, and offline not at all.
  const stopListening = whenRemovedElsewhere(store, LAST_USER_KEY, () => apply({ kind: 'left' }))
  void restore()

  return {
    state,
    claims,
    tokensOf: (userId) => ({
      token: async () => (await currentSession(userId))?.access_token,
      refreshedToken: async () => {
        const { data, error } = await supabase.auth.refreshSession()
        if (error && isAuthRetryableFetchError(error)) throw error
        return usable(data.session, userId)?.access_token
      },
      async verify() {
        if (await currentSession(userId).catch(() => undefined)) await endIfRefused(supabase)
      },
      async credentials() {
        const session = await currentSession(userId)
        return session && toCredentials(session)
      },
    }),
    async leave() {
      leaving = true
      try {
        const { error } = await supabase.auth.signOut({ scope: 'local' })
        // Offline, supabase-js keeps the session, but the user wants to be signed out now.
        if (error) await store.removeItem(SESSION_KEY)
        await store.removeItem(LAST_USER_KEY)
        apply({ kind: 'left' })
      } finally {
        leaving = false
      }
    },
    async openLocally(user) {
      if (hasSession(state.get())) return
      await store.setItem(LAST_USER_KEY, JSON.stringify(user))
      apply({ kind: 'opened_locally', user })
    },
    [Symbol.dispose]() {
      stopListening()
      data.subscription.unsubscribe()
    },
  }

  function apply(event: SessionEvent): void {
    state.set(nextSession(state.get(), event))
  }

  async function restore(): Promise<void> {
    let stored: AuthSession | undefined
    let lastUser: SessionUser | undefined
    try {
      stored = await readJson<AuthSession>(store, SESSION_KEY)
      lastUser = await readJson<SessionUser>(store, LAST_USER_KEY)
    } catch (error) {
      onProblem(error)
    }
    apply({ kind: 'restored', session: stored?.user ? toConfirmed(stored) : undefined, lastUser })
  }

  async function currentSession(userId: string): Promise<AuthSession | undefined> {
    const { data, error } = await supabase.auth.getSession()
    // An ended session is a result; being unable to refresh now is not.
    if (error && isAuthRetryableFetchError(error)) throw error
    return usable(data.session, userId)
  }
}

/** Statuses for an unknown or blocked user or session. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403])

/** Ends a session that the server has ended. supabase-js keeps one with an unexpired token even if it can no longer be refreshed. */
async function endIfRefused(supabase: SupabaseClient): Promise<void> {
  const { error } = await supabase.auth.getUser()
  if (!isAuthApiError(error) || !REFUSED.has(error.status)) return
  const refreshed = await supabase.auth.refreshSession()
  if (isAuthApiError(refreshed.error) && REFUSED.has(refreshed.error.status)) {
    await supabase.auth.signOut({ scope: 'local' })
  }
}

/** A session without its second factor syncs in neither direction. */
function usable(session: AuthSession | null, userId: string): AuthSession | undefined {
  return session?.user.id === userId && !needsSecondFactor(session) ? session : undefined
}

function toConfirmed(session: AuthSession): Confirmed {
  return {
    user: { id: session.user.id, email: session.user.email },
    needsSecondFactor: needsSecondFactor(session),
  }
}

function toCredentials(session: AuthSession): { readonly token: string; readonly expiresAt: Date | undefined } {
  const expiresAt = session.expires_at === undefined ? undefined : new Date(session.expires_at * 1_000)
  return { token: session.access_token, expiresAt }
}
