import {
  browserFiles,
  type ChooseSearched,
  createClient,
  type ForgetUser,
  type HoldfastClient,
  type RetryRefused,
} from '@holdfast/client'
import type { AuthChangeEvent, Session } from '@supabase/supabase-js'
import {
  clearPendingPassword,
  rereadPendingPassword,
  setPendingPassword,
  usePendingPassword,
} from '../pending-password.ts'
import { rememberAccount } from './accounts.ts'
import { quoteName } from '../sql.ts'
import { errorMessages } from '../../messages/errors.ts'
import { type AppConfig, fetchConfig, readCachedConfig } from './app-config.ts'
import { useHasChannels } from './has-channels.ts'
import { photoSpace } from './photo-space.ts'
import { PHOTO_BUCKET, photoFilesSql, photoTableOfFile } from './photo-table.ts'

/** Server settings and the client. */
export interface Backend {
  readonly config: AppConfig
  readonly client: HoldfastClient
}

export interface BackendOptions {
  /** Texts indexed by the app's search. */
  readonly search: ChooseSearched
  readonly forgetUser: ForgetUser
  /** Shows the captcha that the server asks for. */
  readonly retryRefused: RetryRefused
  /** Called when a local database starts opening. */
  readonly onDatabase: () => void
}

/**
 * Creates the client from cached settings if available, so starting needs no network (new ones apply to the next start), otherwise from the server.
 *
 * @throws if this device has never seen the server and cannot reach it
 */
export async function openBackend({ search, forgetUser, retryRefused, onDatabase }: BackendOptions): Promise<Backend> {
  const cached = readCachedConfig()
  if (cached) {
    fetchConfig().then(
      ({ hasChannels }) => useHasChannels.setState({ hasChannels }),
      (error: unknown) => {
        console.info('The settings of the last visit are used; the server did not answer.', error)
      },
    )
  }
  const config = cached ?? (await fetchConfig())
  useHasChannels.setState({ hasChannels: config.hasChannels })
  // Preload SQLite and the sync engine for returning users while session and tables are being read.
  if (comesBack()) preloadDatabase()
  const client = createClient({
    url: location.origin,
    anonKey: config.anonKey,
    openDatabase: async (options) => {
      // SQLite and the sync engine are not needed before sign-in.
      const { openDatabase } = await import('./open-database.ts')
      const opening = openDatabase({ ...options, prescribedVfs: config.vfs })
      onDatabase()
      return opening
    },
    removeDatabase: async (fileName) => {
      const { removeDatabase } = await import('./open-database.ts')
      await removeDatabase(fileName)
    },
    databaseBytes: async () => (await import('./open-database.ts')).databaseBytes,
    forgetUser,
    // The screen at `/auth/callback` does it, and can explain a failed link.
    detectSessionInUrl: false,
    attachments: {
      files: browserFiles(),
      bucket: PHOTO_BUCKET,
      rows: photoFilesSql,
      cacheBytesMax: photoSpace,
      async link(tx, file) {
        const device = client.device.get()
        const table = device.kind === 'open' ? photoTableOfFile(device.local.schema.get(), file) : undefined
        const now = new Date().toISOString()
        if (table) await tx.execute(`update ${quoteName(table.name)} set uploaded_at = ? where id = ?`, [now, file.id])
      },
    },
    search,
    ...(config.captcha.isShownAtSignIn && { retryRefused }),
    onProblem: (error) => console.info('In the background:', error),
  })
  client.supabase.auth.onAuthStateChange((event, session) => {
    if (session && REMEMBERED.has(event)) rememberAccount(personOf(session))
    followPendingPassword(event, session)
  })
  return { config, client }
}

/** Whether a user is signed in on this device, on a page that shows their rows and needs nothing from the server. */
export function comesBack(): boolean {
  return 'session' in document.documentElement.dataset && readCachedConfig() !== undefined
}

function preloadDatabase(): void {
  import('./open-database.ts').catch((error: unknown) =>
    console.info('The database is loaded when it is opened.', error),
  )
}

/** Auth events that identify the user. */
const REMEMBERED: ReadonlySet<AuthChangeEvent> = new Set([
  'SIGNED_IN',
  'INITIAL_SESSION',
  'USER_UPDATED',
  'PASSWORD_RECOVERY',
])

/** Sends recovery links, in any tab, to the form for a new password, until the session or user changes. */
function followPendingPassword(event: AuthChangeEvent, session: Session | null): void {
  if (event === 'PASSWORD_RECOVERY' && session) {
    setPendingPassword({ userId: session.user.id, reason: 'recovery' })
  } else if (event === 'SIGNED_OUT') {
    clearPendingPassword()
  } else {
    rereadPendingPassword()
    const { pending } = usePendingPassword.getState()
    if (session && pending && pending.userId !== session.user.id) clearPendingPassword()
  }
}

/** Returns the user for the account menu, with a name from the profile or the email's first part. */
function personOf({ user }: Session): Parameters<typeof rememberAccount>[0] {
  const email = user.email ?? ''
  const given: unknown = user.user_metadata['name'] ?? user.user_metadata['full_name']
  const name = typeof given === 'string' && given !== '' ? given : nameFromEmail(email)
  return { userId: user.id, email, name, isGuest: user.is_anonymous === true }
}

/** `dana.okafor@northline.example` → `Dana Okafor`. */
export function nameFromEmail(email: string): string {
  const words = (email.split('@')[0] ?? '').split(/[._-]+/).filter((word) => word !== '')
  if (words.length === 0) return errorMessages.guest
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}
