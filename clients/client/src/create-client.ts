import { createClient as createSupabaseClient, type SupabaseClient } from '@supabase/supabase-js'
import type { AttachmentsOptions } from './attachments/attachments-options.ts'
import { chooseBodySender } from './attachments/transfer/body-sender.ts'
import { defaultStore, type KeyValueStore } from './key-value.ts'
import { openDevice, type DeviceState } from './local/device.ts'
import { endDisconnectTimers } from './channels/end-disconnect-timers.ts'
import type { DatabaseBytes, ForgetUser, OpenDatabase, RemoveDatabase } from './local/file-options.ts'
import type { DeviceLock } from './local/lock/device-lock.ts'
import { watchPasswords } from './session/watch-passwords.ts'
import { PendingRemovals, type PendingRemoval } from './local/pending-removals.ts'
import { SignInRequired } from './local/sign-in-required.ts'
import { openDeviceUsers, type DevicePerson } from './session/device-users.ts'
import type { SessionState, SessionUser } from './session/session-state.ts'
import { createAuthFetch, type RetryRefused } from './session/auth-fetch.ts'
import { openSession, SESSION_KEY } from './session/session.ts'
import { signOut, type SignOutData, type SignOutOptions } from './local/sign-out.ts'
import type { ChooseSearched } from './search/open-search.ts'
import type { Value } from './value.ts'

export interface ClientOptions {
  /** The server's URL, such as `https://data.example.org`. */
  readonly url: string
  readonly anonKey: string
  readonly openDatabase: OpenDatabase
  /**
   * Deletes the file of a closed database with its journal or log, if it exists: of a user removed from the device, or a damaged one that was replaced. Must
   * throw if the file remains. Default: the file stays, but a removed user's is emptied.
   */
  readonly removeDatabase?: RemoveDatabase
  /**
   * The files of closed databases. With it, {@link removeDatabase} and {@link attachments}, what a user keeps at sign-out is encrypted until the next sign-in.
   * Default: it stays readable.
   */
  readonly databaseBytes?: () => Promise<DatabaseBytes>
  /** Removes the app's own data of a user who is removed from the device. Called again at the next start after a failure. */
  readonly forgetUser?: ForgetUser
  /** Files attached to rows, which can be added and shown offline. Default: none. */
  readonly attachments?: AttachmentsOptions
  /** Columns to search by word parts, per table ({@link LocalDatabase.search}); indexed on the device. Default: none. */
  readonly search?: ChooseSearched
  /** Persistent store for session and last schema. Default: `localStorage`, or memory if unavailable. */
  readonly store?: KeyValueStore
  /** Used for all requests. Default: the platform's `fetch`; files use a sender with progress, which detects a dead connection after 30 s. */
  readonly fetch?: typeof globalThis.fetch
  /** Handles requests of accounts that were refused with 400, such as {@link retryWithCaptcha}. Default: they fail. */
  readonly retryRefused?: RetryRefused
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /**
   * Whether a session in the page's URL (`?code=`, `#access_token=`) is accepted at the start, as in supabase-js. An app that explains failed links exchanges
   * the code on its own screen instead. Default: true.
   */
  readonly detectSessionInUrl?: boolean
  /** 0 to 1. */
  readonly random?: () => number
  /** Receives background errors without a screen of their own. Default: `console.warn`. */
  readonly onProblem?: (error: unknown) => void
}

/** Both public clients of a server combined: supabase-js for authentication and online calls, PowerSync for everything that works offline. */
export interface HoldfastClient extends AsyncDisposable {
  readonly supabase: SupabaseClient
  readonly session: Value<SessionState>
  /** The signed-in user's local database. */
  readonly device: Value<DeviceState>
  /** Users with a local database on this device; {@link openLocally} opens that of a user who has not signed out, even offline. */
  readonly people: Value<readonly DevicePerson[]>
  /** Pending removals of user data, retried by {@link retryRemovals} and at each start. */
  readonly removals: Value<readonly PendingRemoval[]>
  /** Retries {@link removals}. Never throws; failures remain listed. */
  retryRemovals(): Promise<void>
  /**
   * Signs out on this device only; `data` determines what happens to the user's local data. `wipe` also closes the database in other tabs.
   *
   * @throws {UnsentChanges} if `wipe` would lose changes without `discardUnsent`; the user stays signed in
   * @throws {DataRemains} if `wipe` could not remove everything; the user is signed out and listed in {@link removals}
   * @throws {DataNotLocked} if `keep` could not encrypt the data; the user is signed out, and the next start tries again
   */
  signOut(data: SignOutData, options?: SignOutOptions): Promise<void>
  /**
   * Opens the database of a user of this device who has not signed out, without signing in: reading and editing work, syncing waits for a sign-in. No-op while
   * a user is signed in.
   *
   * @throws {SignInRequired} if the user has signed out
   */
  openLocally(user: SessionUser): Promise<void>
  /** Whether `signOut('keep')` encrypts the current user's data. Needs a connection once after signing in. */
  canLock(): Promise<boolean>
  /** Encrypts data that could not be encrypted at sign-out. @throws {DataNotLocked} */
  retryLocks(): Promise<void>
  /**
   * Opens the encrypted database of a user of this device with the password last used here, without the server. Syncing waits for a sign-in.
   *
   * @throws {CannotUnlock}
   */
  unlock(user: SessionUser, password: string): Promise<void>
}

/** Creates a client that starts immediately from the device's data and uses the network when available. */
export function createClient(options: ClientOptions): HoldfastClient {
  const url = options.url.replace(/\/+$/, '') // the SDK refuses an endpoint with trailing slash
  const store = options.store ?? defaultStore()
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const now = options.now ?? Date.now
  const lock = createLock({ ...options, url, store, fetch, now })
  const noticingPasswords = (inner: typeof globalThis.fetch): typeof globalThis.fetch =>
    lock
      ? watchPasswords(inner, url, (userId, password) => {
          lock().then((loaded) => loaded.notePassword(userId, password), onProblem)
        })
      : inner
  const onProblem = options.onProblem ?? ((error: unknown) => console.warn('holdfast:', error))
  const supabase = createSupabaseClient(url, options.anonKey, {
    auth: {
      storage: store,
      storageKey: SESSION_KEY,
      persistSession: true,
      autoRefreshToken: true,
      flowType: 'pkce',
      detectSessionInUrl: options.detectSessionInUrl ?? true,
      experimental: { recoveryCodes: true },
    },
    global: { fetch: noticingPasswords(createAuthFetch(fetch, url, options.retryRefused)) },
  })
  endDisconnectTimers(supabase)
  const session = openSession(supabase, store, onProblem)
  const people = openDeviceUsers(store, now)
  const removals = new PendingRemovals(store)
  const device = openDevice({
    url,
    session,
    store,
    people,
    removals,
    lock,
    openDatabase: options.openDatabase,
    removeDatabase: options.removeDatabase,
    forgetUser: options.forgetUser,
    anonKey: options.anonKey,
    attachments: options.attachments,
    search: options.search,
    fetch,
    bodies: chooseBodySender(options.fetch),
    now,
    random: options.random ?? Math.random,
    onProblem,
  })

  return {
    supabase,
    session: session.state,
    device: device.state,
    people: people.people,
    removals: removals.value,
    retryRemovals: () => device.retryRemovals(),
    signOut: (data, how) => signOut(session, device, data, how),
    async openLocally(user) {
      if (await people.isSignedOut(user.id)) throw new SignInRequired(user)
      await session.openLocally(user)
    },
    canLock: () => device.canLock(),
    retryLocks: () => device.finishLocks(),
    async unlock(user, password) {
      if (!lock) throw new SignInRequired(user)
      await (await lock()).unlock(user.id, password)
      await session.openLocally(user)
    },
    async [Symbol.asyncDispose]() {
      await device[Symbol.asyncDispose]()
      session[Symbol.dispose]()
      await supabase.auth.stopAutoRefresh()
      await supabase.removeAllChannels()
    },
  }
}

/** @returns `undefined` if the app cannot encrypt databases */
function createLock({
  databaseBytes,
  removeDatabase,
  attachments,
  store,
  url,
  anonKey,
  fetch,
  now,
}: ClientOptions & Required<Pick<ClientOptions, 'store' | 'fetch' | 'now'>>): (() => Promise<DeviceLock>) | undefined {
  if (!databaseBytes || !removeDatabase || !attachments) return undefined
  const { files } = attachments
  const load = async (): Promise<DeviceLock> => {
    const [{ DeviceLock }, database] = await Promise.all([import('./local/lock/device-lock.ts'), databaseBytes()])
    return new DeviceLock({ store, url, anonKey, fetch, now, database, removeDatabase, files })
  }
  let loading: Promise<DeviceLock> | undefined
  return () => (loading ??= load())
}
