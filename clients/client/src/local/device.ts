import { toError } from '@holdfast/protocol'
import type { KeyValueStore } from '../key-value.ts'
import { cachedSchema } from '../schema/fetch-schema.ts'
import type { DeviceUsers } from '../session/device-users.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { Session } from '../session/session.ts'
import { createValue, type Value } from '../value.ts'
import type { SessionUser } from '../session/session-state.ts'
import type { UnsentCount } from './count-unsent.ts'
import type { DataRemains } from './data-remains.ts'
import type { LockKeeper } from './lock/lock-keeper.ts'
import type { DeviceLock } from './lock/device-lock.ts'
import { DeviceRemovals } from './device-removals.ts'
import type { ForgetUser } from './file-options.ts'
import { fetchFirstSchema } from './first-schema.ts'
import type { LocalDatabase, LocalDatabaseOptions } from './local-database.ts'
import { readLocalFile } from './local-file.ts'
import type { PendingRemovals } from './pending-removals.ts'
import { openRemovalChannel, type RemovalChannel } from './removal-channel.ts'
import { UnsentChanges } from './unsent-changes.ts'

/** The local database of the signed-in user. */
export type DeviceState =
  | { readonly kind: 'none' }
  /** `problem`: the reason for the delay; opening is retried. */
  | { readonly kind: 'opening'; readonly userId: string; readonly problem: string | undefined }
  | { readonly kind: 'open'; readonly local: LocalDatabase }
  | { readonly kind: 'failed'; readonly userId: string; readonly error: Error }

export interface Device extends AsyncDisposable {
  readonly state: Value<DeviceState>
  /**
   * Closes the database of a leaving user.
   *
   * @returns with `wipe`, the error if not everything was removed
   * @throws {UnsentChanges} if `wipe` would lose changes and `discardUnsent` is false; the database stays open
   */
  release(options: { readonly wipe: boolean; readonly discardUnsent: boolean }): Promise<DataRemains | undefined>
  /** Whether {@link release} can encrypt what it keeps of the current user. Prepares it if possible. */
  canLock(): Promise<boolean>
  /**
   * Encrypts the data of users who have signed out and chosen to keep it.
   *
   * @throws {DataNotLocked}
   */
  finishLocks(): Promise<void>
  /** Retries failed removals. Never throws. */
  retryRemovals(): Promise<void>
}

export interface DeviceOptions extends Omit<LocalDatabaseOptions, 'userId' | 'schema' | 'damagedFiles' | 'onDamage'> {
  readonly store: KeyValueStore
  readonly session: Session
  readonly people: DeviceUsers
  readonly removals: PendingRemovals
  /** `undefined`: kept data is not encrypted. */
  readonly lock: (() => Promise<DeviceLock>) | undefined
  readonly forgetUser: ForgetUser | undefined
}

/** Time in ms for another tab's record of a removal to become visible here. */
const NOTE_MS = 1_000
const NOTE_POLL_MS = 50

/** Keeps exactly one database open: the signed-in user's. Each user has a separate file. */
export function openDevice(options: DeviceOptions): Device {
  return new SessionDevice(options)
}

class SessionDevice implements Device {
  readonly state = createValue<DeviceState>({ kind: 'none' })
  readonly #options: DeviceOptions
  readonly #stopSession: () => void
  /** Serializes opening and closing. */
  readonly #queue = new SerialQueue()
  #lockKeeper: Promise<LockKeeper> | undefined
  #opening = new AbortController()
  readonly #damagedFiles = new Set<string>()
  readonly #channel: RemovalChannel
  readonly #removals: DeviceRemovals
  #isClosed = false

  constructor(options: DeviceOptions) {
    this.#options = options
    this.#channel = openRemovalChannel((userId) => void this.#makeWay(userId))
    this.#removals = new DeviceRemovals(options)
    this.#removals.begin(() => this.#currentUser())
    this.#finishEarlierLocks().catch(options.onProblem)
    const follow = (): void => this.#follow()
    this.#stopSession = options.session.state.subscribe(follow)
    follow()
  }

  async release({
    wipe,
    discardUnsent,
  }: {
    readonly wipe: boolean
    readonly discardUnsent: boolean
  }): Promise<DataRemains | undefined> {
    const { onProblem, people } = this.#options
    const user = await this.#currentUser()
    if (user && wipe && !discardUnsent) {
      await this.#untilOpened(user)
      await this.#assertAllSent()
    }
    this.#opening.abort()
    if (user && wipe) return this.#queue.run(() => this.#remove(user))
    // A failure to close must not prevent a plain sign-out.
    await this.#queue.run(() => this.#closeCurrent({ isLeaving: true })).catch(onProblem)
    if (user) {
      await this.#locks()
        .then((locks) => locks?.begin(user.id))
        .catch(onProblem)
      await people.rememberSignOut(user.id).catch(onProblem)
    }
    return undefined
  }

  async canLock(): Promise<boolean> {
    const user = await this.#currentUser()
    const locks = await this.#locks()
    return user !== undefined && locks !== undefined && locks.prepare(user.id)
  }

  async finishLocks(): Promise<void> {
    await (await this.#locks())?.finish()
  }

  /** Loaded on demand, because sign-in screens rarely need it. */
  async #locks(): Promise<LockKeeper | undefined> {
    const { lock } = this.#options
    if (!lock) return undefined
    this.#lockKeeper ??= (async () => {
      const [module, loaded] = await Promise.all([import('./lock/lock-keeper.ts'), lock()])
      return new module.LockKeeper({ ...this.#options, lock: loaded })
    })()
    return this.#lockKeeper
  }

  /** Continues what an earlier page did not finish. */
  async #finishEarlierLocks(): Promise<void> {
    const people = this.#options.lock ? await this.#options.people.list() : []
    if (people.some(({ isSignedOut }) => isSignedOut)) await this.finishLocks()
  }

  retryRemovals(): Promise<void> {
    return this.#removals.retry()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#stopSession()
    this.#channel[Symbol.dispose]()
    this.#opening.abort()
    await this.#removals.settled()
    await this.#queue.run(() => this.#closeCurrent()).catch(this.#options.onProblem)
  }

  #follow(): void {
    const current = this.#options.session.state.get()
    if (current.kind === 'booting') return
    const userId = current.kind === 'signed_out' ? undefined : current.user.id
    const shown = this.state.get()
    if (userId === shownUser(shown) && shown.kind !== 'failed') return
    this.#opening.abort()
    this.#opening = new AbortController()
    const { signal } = this.#opening
    void this.#queue.run(() => this.#change(userId, signal))
  }

  /**
   * Waits, because a database still opening may have unsent changes. Users who were never here have none, and may be waiting for a network.
   *
   * @throws the error of opening: its content is unknown
   */
  async #untilOpened(user: SessionUser): Promise<void> {
    if (await cachedSchema(this.#options.store, user.id)) await this.#queue.settled()
    const shown = this.state.get()
    if (shown.kind === 'failed') throw shown.error
  }

  async #assertAllSent(): Promise<void> {
    const current = this.state.get()
    if (current.kind !== 'open') return
    const { local } = current
    // Before any change, because the user may have paused syncing.
    assertNone(await local.countUnsent())
    // Nothing may change between the check and the end.
    await local.disconnect()
    try {
      assertNone(await local.countUnsent())
    } catch (error) {
      local.connect()
      throw error
    }
  }

  async #closeCurrent({ isLeaving = false } = {}): Promise<void> {
    const current = this.state.get()
    this.state.set({ kind: 'none' })
    if (current.kind !== 'open') return
    // Files that the server has are not worth encrypting.
    if (isLeaving && this.#options.lock) await current.local.attachments?.freeUpSpace().catch(this.#options.onProblem)
    await this.#noteUnsent(current.local).catch(this.#options.onProblem)
    await current.local.close()
  }

  /** Returns the signed-in user once known. */
  async #currentUser(): Promise<SessionUser | undefined> {
    const { state } = this.#options.session
    while (state.get().kind === 'booting') await changeOf(state)
    const current = state.get()
    return 'user' in current ? current.user : undefined
  }

  async #remove(user: SessionUser): Promise<DataRemains | undefined> {
    const { store, removals, onProblem } = this.#options
    const { generation } = await readLocalFile(store, user.id)
    const removal = { ...user, generation, isBack: false, problem: undefined }
    // Recorded first: if the page closes midway, the next start continues.
    await removals.put(removal).catch(onProblem)
    this.#channel.tell(user.id)
    const current = this.state.get()
    this.state.set({ kind: 'none' })
    if (current.kind === 'open') await current.local.close().catch(onProblem)
    return this.#removals.attempt(removal)
  }

  /** Closes a user's database because another tab removes it and cannot delete an open file. */
  async #makeWay(userId: string): Promise<void> {
    const { removals, onProblem } = this.#options
    const isShown = (): boolean => !this.#isClosed && shownUser(this.state.get()) === userId
    const untilMs = performance.now() + NOTE_MS
    // `localStorage` is not synchronized across processes. Without a record the message came from another device in the same process.
    while (isShown() && !(await removals.find(userId))) {
      if (performance.now() > untilMs) return
      await new Promise((resolve) => setTimeout(resolve, NOTE_POLL_MS))
    }
    if (!isShown()) return
    this.#opening.abort()
    await this.#queue.run(() => this.#closeCurrent()).catch(onProblem)
  }

  /** For display only. */
  async #noteUnsent(local: LocalDatabase): Promise<void> {
    const { waiting, attention, files } = await local.countUnsent()
    await this.#options.people.rememberUnsent(local.userId, waiting + attention + files)
  }

  async #change(userId: string | undefined, signal: AbortSignal): Promise<void> {
    const current = this.state.get()
    if (signal.aborted || this.#isClosed) return
    if (current.kind === 'open' && current.local.userId === userId) return
    await this.#closeCurrent().catch(this.#options.onProblem)
    if (userId === undefined) return
    this.state.set({ kind: 'opening', userId, problem: undefined })
    try {
      await this.#open(userId, signal)
    } catch (error) {
      this.state.set({ kind: 'failed', userId, error: toError(error) })
    }
  }

  /** Reopens the user's database after marking its file as damaged, so that a new one replaces it. */
  async #reopen(userId: string): Promise<void> {
    const current = this.state.get()
    if (this.#isClosed || shownUser(current) !== userId) return
    this.state.set({ kind: 'opening', userId, problem: undefined })
    if (current.kind === 'open') await current.local.close().catch(this.#options.onProblem)
    await this.#change(userId, this.#opening.signal)
  }

  async #open(userId: string, signal: AbortSignal): Promise<void> {
    const { session, store, people } = this.#options
    const onProblem = (problem: string): void => this.state.set({ kind: 'opening', userId, problem })
    await this.#removals.comeBack(userId)
    // Not needed by sign-in screens; imported while the schema is being fetched.
    const loading = import('./local-database.ts')
    loading.catch(() => undefined) // handled where it is awaited
    const locks = await this.#locks()
    if (locks && !(await locks.open(userId, signal, onProblem))) return
    const schema =
      (await cachedSchema(store, userId)) ?? (await fetchFirstSchema(this.#options, { userId, signal, onProblem }))
    if (!schema || signal.aborted) return
    const { openLocalDatabase } = await loading
    if (signal.aborted) return
    const onDamage = (): void => void this.#queue.run(() => this.#reopen(userId))
    const damagedFiles = this.#damagedFiles
    const local = await openLocalDatabase({ ...this.#options, userId, schema, damagedFiles, onDamage })
    if (signal.aborted) return local.close()
    const current = session.state.get()
    if ('user' in current && current.user.id === userId) {
      await people.remember(current.user).catch(this.#options.onProblem) // for display only
    }
    if (signal.aborted) return local.close()
    this.state.set({ kind: 'open', local })
    local.connect()
    void locks?.prepare(userId)
  }
}

function assertNone(unsent: UnsentCount): void {
  if (unsent.waiting > 0 || unsent.attention > 0 || unsent.files > 0) throw new UnsentChanges(unsent)
}

/** Resolves when the value changes. */
function changeOf(value: Value<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const stop = value.subscribe(() => {
      stop()
      resolve()
    })
  })
}

function shownUser(state: DeviceState): string | undefined {
  switch (state.kind) {
    case 'none':
      return undefined
    case 'open':
      return state.local.userId
    case 'opening':
    case 'failed':
      return state.userId
    default:
      return state satisfies never
  }
}
