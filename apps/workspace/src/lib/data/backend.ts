import { type AuthChangeEvent, createClient, type Session, type SupabaseClient, type User } from '@supabase/supabase-js'
import { enterAccount, openAccount, setSessionState, useAccounts } from './accounts.ts'
import { type AppConfig, fetchConfig, readCachedConfig } from './app-config.ts'

/** Where the auth client keeps its session. */
const SESSION_KEY = 'hf-session'

/** The server as this page knows it: its settings and the client that talks to it. */
export interface Backend {
  readonly config: AppConfig
  readonly supabase: SupabaseClient
}

/**
 * Makes the client from the settings: of the last visit when there are any (so a start needs no network; the fresh ones
 * are for the next start), else from the server.
 *
 * @throws when this device has never seen the server and cannot reach it now
 */
export async function openBackend(): Promise<Backend> {
  const cached = readCachedConfig()
  if (cached) {
    fetchConfig().catch((error: unknown) => {
      console.info('The settings of the last visit are used; the server did not answer.', error)
    })
  }
  const config = cached ?? (await fetchConfig())
  const supabase = createClient(location.origin, config.anonKey, {
    auth: {
      storageKey: SESSION_KEY,
      flowType: 'pkce',
      persistSession: true,
      autoRefreshToken: true,
      detectSessionInUrl: false,
    },
  })
  supabase.auth.onAuthStateChange((event, session) => followAuth(event, session))
  return { config, supabase }
}

/**
 * Keeps the session's state in step with the auth client. It never closes a local database: work goes on in it when the
 * session is gone, and the sync chip asks for a sign-in.
 */
function followAuth(event: AuthChangeEvent, session: Session | null): void {
  if (session) {
    if (event === 'SIGNED_IN' || event === 'USER_UPDATED' || event === 'INITIAL_SESSION') {
      const open = openAccount()
      // Another tab signed in as somebody else: this page keeps its database until it is loaded again.
      if (open && open.userId !== session.user.id) return setSessionState('expired')
      if (open || event !== 'INITIAL_SESSION') enterAccount(personOf(session.user))
      else enterAccount(personOf(session.user))
    }
    return setSessionState('active')
  }
  if (useAccounts.getState().openUserId === null) return
  setSessionState(hasStoredSession() ? 'stale' : 'expired')
}

/** An expired token that could not be refreshed for want of a connection is still stored; a refused one is not. */
function hasStoredSession(): boolean {
  try {
    return localStorage.getItem(SESSION_KEY) !== null
  } catch {
    return false
  }
}

/** Who somebody is, for the account menu: the name from the profile, else the e-mail's first part. */
export function personOf(user: User): { readonly userId: string; readonly email: string; readonly name: string } {
  const email = user.email ?? ''
  const given: unknown = user.user_metadata['name'] ?? user.user_metadata['full_name']
  return { userId: user.id, email, name: typeof given === 'string' && given !== '' ? given : nameFromEmail(email) }
}

function nameFromEmail(email: string): string {
  const words = (email.split('@')[0] ?? '').split(/[._-]+/).filter((word) => word !== '')
  if (words.length === 0) return 'Guest'
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}

/**
 * Ends the session on this device only; other devices stay signed in. Without a connection the server cannot be told,
 * and the session is dropped here all the same.
 */
export async function endSession(supabase: SupabaseClient): Promise<void> {
  const { error } = await supabase.auth.signOut({ scope: 'local' })
  if (error) {
    console.info('The server was not told about the sign-out.', error)
    localStorage.removeItem(SESSION_KEY)
  }
}
