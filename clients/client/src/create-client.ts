import { createClient as createSupabaseClient, type SupabaseClient } from '@supabase/supabase-js'
import type { AttachmentsOptions } from './attachments/attachments-options.ts'
import { chooseBodySender } from './attachments/transfer/body-sender.ts'
import { defaultStore, type KeyValueStore } from './key-value.ts'
import { openDevice, type DeviceState } from './local/device.ts'
import { endDisconnectTimers } from './channels/end-disconnect-timers.ts'
import type { ForgetUser, OpenDatabase, RemoveDatabase } from './local/file-options.ts'
import { PendingRemovals, type PendingRemoval } from './local/pending-removals.ts'
import { SignInRequired } from './local/sign-in-required.ts'
import { openDevicePeople, type DevicePerson } from './people/device-people.ts'
import type { SessionState, SessionUser } from './session/session-state.ts'
import { answersOfAccounts } from './session/answers-of-accounts.ts'
import { openSession, SESSION_KEY } from './session/session.ts'
import { signOut, type SignOutData, type SignOutOptions } from './local/sign-out.ts'
import type { ChooseSearched } from './search/open-search.ts'
import type { Value } from './value.ts'

export interface ClientOptions {
  /** The server's address, such as `https://data.example.org`. */
  readonly url: string
  readonly anonKey: string
  readonly openDatabase: OpenDatabase
  /**
   * Deletes the file of a database that is not open, with its journal or log, if it is there: of a person who leaves the device, or one that was damaged and
   * replaced. Throws when it is still there afterwards. Default: the file stays; of a person who leaves it is emptied.
   */
  readonly removeDatabase?: RemoveDatabase
  /** Removes what the app itself keeps of a person who leaves the device for good. It is called again at the next start when it fails. */
  readonly forgetUser?: ForgetUser
  /** Files that belong to rows: they are added and shown offline as rows are. Default: none. */
  readonly attachments?: AttachmentsOptions
  /** Which columns of which tables are searched by pieces of words ({@link LocalDatabase.search}); an index of them is kept on the device. Default: none. */
  readonly search?: ChooseSearched
  /** Where the session and the last schema are kept between starts. Default: `localStorage`, or memory where there is none. */
  readonly store?: KeyValueStore
  /** Sends everything. Default: the platform's, and for files what tells how far it is: a dead line is then noticed after 30 s. */
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /**
   * Whether a session in the page's address (`?code=`, `#access_token=`) is taken up at the start, as supabase-js does by itself. An app that shows
   * why a link did not work exchanges the code on a screen of its own instead. Default: yes.
   */
  readonly detectSessionInUrl?: boolean
  /** 0 to 1. */
  readonly random?: () => number
  /** Receives what goes wrong in the background and has no screen of its own. Default: `console.warn`. */
  readonly onProblem?: (error: unknown) => void
}

/** Both public clients of one server, tied together: supabase-js for signing in and online calls, PowerSync for everything that works offline. */
export interface HoldfastClient extends AsyncDisposable {
  readonly supabase: SupabaseClient
  readonly session: Value<SessionState>
  /** The local database of the signed-in person. */
  readonly device: Value<DeviceState>
  /** Everybody whose local database is on this device; {@link openLocally} opens that of one who has not signed out, without a network. */
  readonly people: Value<readonly DevicePerson[]>
  /** Whose data was to be removed from this device, and is not gone yet. {@link retryRemovals} tries again, and so does each start. */
  readonly removals: Value<readonly PendingRemoval[]>
  /** Tries again to remove what {@link removals} names. Never throws: what remains is still there. */
  retryRemovals(): Promise<void>
  /**
   * Signs out on this device only; `data` says what becomes of the person's data here. `wipe` also closes their database in other tabs.
   *
   * @throws {UnsentChanges} when `wipe` would lose changes and `discardUnsent` is not given; the person stays signed in
   * @throws {DataRemains} when `wipe` could not remove everything; the person is signed out, and {@link removals} has them
   */
  signOut(data: SignOutData, options?: SignOutOptions): Promise<void>
  /**
   * Opens the database of a person who has used this device and has not signed out, without signing in: reading and editing work, syncing waits for a sign-in.
   * Nothing changes while a person is signed in.
   *
   * @throws {SignInRequired} when the person has signed out
   */
  openLocally(user: SessionUser): Promise<void>
}

/** Starts at once from what the device remembers; the network is used when it is there. */
export function createClient(options: ClientOptions): HoldfastClient {
  const url = options.url.replace(/\/+$/, '') // the SDK refuses an endpoint that ends in a slash
  const store = options.store ?? defaultStore()
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
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
    global: { fetch: answersOfAccounts(fetch, url) },
  })
  endDisconnectTimers(supabase)
  const now = options.now ?? Date.now
  const onProblem = options.onProblem ?? ((error: unknown) => console.warn('holdfast:', error))
  const session = openSession(supabase, store, onProblem)
  const people = openDevicePeople(store, now)
  const removals = new PendingRemovals(store)
  const device = openDevice({
    url,
    session,
    store,
    people,
    removals,
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
    async [Symbol.asyncDispose]() {
      await device[Symbol.asyncDispose]()
      session[Symbol.dispose]()
      await supabase.auth.stopAutoRefresh()
      await supabase.removeAllChannels()
    },
  }
}
