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

/** Where supabase-js keeps the session. */
export const SESSION_KEY = 'holdfast-auth'
const LAST_USER_KEY = 'holdfast-last-user'

export interface UserTokens extends TokenSource {
  /** The current token with its end, for the sync stream. `undefined`: sign in first. @throws when it cannot be known now */
  credentials(): Promise<{ readonly token: string; readonly expiresAt: Date | undefined } | undefined>
  /** Asks the server whether the session still lives, although its token has not expired, and ends it here when it does not. Never throws. */
  verify(): Promise<void>
}

export interface TokenClaims {
  readonly userId: string
  /** Another text when policies may answer otherwise. */
  readonly text: string
}

export interface Session extends Disposable {
  readonly state: Value<SessionState>
  /** Whose token it is, and what it claims, as long as there is one. */
  readonly claims: Value<TokenClaims | undefined>
  /** Tokens of one person only: a queue must never go up in the name of whoever signed in after them. None while their second factor is missing. */
  tokensOf(userId: string): UserTokens
  /** Signs out on this device only, in all tabs, also without network. Local data is not touched. */
  leave(): Promise<void>
  /** Opens an account of this device without a session; it syncs after signing in. Nothing changes while a person is signed in. */
  openLocally(user: SessionUser): Promise<void>
}

/**
 * Follows who is signed in. What the device remembers counts at once, before any network: a person stays signed in on a device that is offline
 * for weeks.
 *
 * @param onProblem - receives why the store cannot be read: the person signs in again then
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
  // The auth client tells all tabs of the end of a session, but not whose wish it was; without network it tells none.
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
        // Without network supabase-js keeps the session; the person wants to be gone from this device now.
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
    // An ended session is an answer; being unable to refresh now is not.
    if (error && isAuthRetryableFetchError(error)) throw error
    return usable(data.session, userId)
  }
}

/** Statuses with which the server says that the person or the session is none it knows, or no longer lets in. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403])

/** supabase-js keeps a session whose token has not expired, also when it can no longer be refreshed; a server that ended it wants another sign-in. */
async function endIfRefused(supabase: SupabaseClient): Promise<void> {
  const { error } = await supabase.auth.getUser()
  if (!isAuthApiError(error) || !REFUSED.has(error.status)) return
  const refreshed = await supabase.auth.refreshSession()
  if (isAuthApiError(refreshed.error) && REFUSED.has(refreshed.error.status)) {
    await supabase.auth.signOut({ scope: 'local' })
  }
}

/** On a session that lacks its second factor no rows come to the device, and nothing leaves it. */
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
