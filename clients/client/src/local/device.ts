import type { KeyValueStore } from '../key-value.ts'
import { cachedSchema, forgetSchema } from '../schema/fetch-schema.ts'
import type { DevicePeople } from '../people/device-people.ts'
import type { Session } from '../session/session.ts'
import { forgetIncomplete } from '../status/watch-incomplete.ts'
import { createValue, type Value } from '../value.ts'
import { forgetWriteRules } from '../write-rules/fetch-write-rules.ts'
import type { UnsentCount } from './count-unsent.ts'
import { fetchFirstSchema } from './first-schema.ts'
import type { LocalDatabase, LocalDatabaseOptions } from './local-database.ts'
import { UnsentChanges } from './unsent-changes.ts'

/** The local database of whoever is signed in. */
export type DeviceState =
  | { readonly kind: 'none' }
  /** `problem`: why it takes longer; it is tried again until it works. */
  | { readonly kind: 'opening'; readonly userId: string; readonly problem: string | undefined }
  | { readonly kind: 'open'; readonly local: LocalDatabase }
  | { readonly kind: 'failed'; readonly userId: string; readonly error: Error }

export interface Device extends AsyncDisposable {
  readonly state: Value<DeviceState>
  /**
   * Closes the database of the person who leaves.
   *
   * @throws {UnsentChanges} when `wipe` would lose changes and `discardUnsent` is false; the database stays open then
   */
  release(options: { readonly wipe: boolean; readonly discardUnsent: boolean }): Promise<void>
}

export interface DeviceOptions extends Omit<LocalDatabaseOptions, 'userId' | 'schema' | 'damagedFiles' | 'onDamage'> {
  readonly store: KeyValueStore
  readonly session: Session
  readonly people: DevicePeople
}

/** Keeps exactly one database open: that of the signed-in person, each person's in a file of its own. */
export function openDevice(options: DeviceOptions): Device {
  return new SessionDevice(options)
}

class SessionDevice implements Device {
  readonly state = createValue<DeviceState>({ kind: 'none' })
  readonly #options: DeviceOptions
  readonly #stopSession: () => void
  /** Databases are opened and closed one after the other. */
  #turn: Promise<void> = Promise.resolve()
  #opening = new AbortController()
  readonly #damagedFiles = new Set<string>()
  #isClosed = false

  constructor(options: DeviceOptions) {
    this.#options = options
    const follow = (): void => this.#follow()
    this.#stopSession = options.session.state.subscribe(follow)
    follow()
  }

  async release({ wipe, discardUnsent }: { readonly wipe: boolean; readonly discardUnsent: boolean }): Promise<void> {
    const { onProblem } = this.#options
    if (wipe) await this.#untilOpened()
    if (wipe && !discardUnsent) await this.#assertAllSent()
    this.#opening.abort()
    const closing = this.#inTurn(() => this.#closeCurrent(wipe))
    // Who only leaves is not kept by a database that cannot be closed well.
    if (!wipe) return closing.catch(onProblem)
    try {
      await closing
    } catch (error) {
      this.#follow()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#stopSession()
    this.#opening.abort()
    await this.#inTurn(() => this.#closeCurrent(false)).catch(this.#options.onProblem)
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
    void this.#inTurn(() => this.#change(userId, signal))
  }

  #inTurn(body: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(body)
    this.#turn = mine.catch(() => undefined) // its caller hears of it; the next in turn must still run
    return mine
  }

  /**
   * What is still being opened is to be wiped as well. A person who was never here has nothing on this device, and may wait for a network.
   *
   * @throws what a database failed to open with: nothing of it can be wiped
   */
  async #untilOpened(): Promise<void> {
    const { session, store } = this.#options
    while (session.state.get().kind === 'booting') await changeOf(session.state)
    const current = session.state.get()
    if ('user' in current && (await cachedSchema(store, current.user.id))) await this.#turn
    const shown = this.state.get()
    if (shown.kind === 'failed') throw shown.error
  }

  async #assertAllSent(): Promise<void> {
    const current = this.state.get()
    if (current.kind !== 'open') return
    const { local } = current
    // Before anything is changed: the person may have paused syncing.
    assertNone(await local.countUnsent())
    // Nothing may slip in between the look and the end.
    await local.disconnect()
    try {
      assertNone(await local.countUnsent())
    } catch (error) {
      local.connect()
      throw error
    }
  }

  async #closeCurrent(wipe: boolean): Promise<void> {
    const { store, people } = this.#options
    const current = this.state.get()
    this.state.set({ kind: 'none' })
    if (current.kind !== 'open') return
    const { local } = current
    try {
      if (wipe) {
        await forgetSchema(store, local.userId)
        await forgetWriteRules(store, local.userId)
        await forgetIncomplete(store, local.userId)
        await people.forget(local.userId)
      } else {
        await this.#noteUnsent(local).catch(this.#options.onProblem)
      }
    } finally {
      await local.close({ wipe })
    }
  }

  /** Only for showing. */
  async #noteUnsent(local: LocalDatabase): Promise<void> {
    const { waiting, attention, files } = await local.countUnsent()
    await this.#options.people.rememberUnsent(local.userId, waiting + attention + files)
  }

  async #change(userId: string | undefined, signal: AbortSignal): Promise<void> {
    const current = this.state.get()
    if (signal.aborted || this.#isClosed) return
    if (current.kind === 'open' && current.local.userId === userId) return
    await this.#closeCurrent(false).catch(this.#options.onProblem)
    if (userId === undefined) return
    this.state.set({ kind: 'opening', userId, problem: undefined })
    try {
      await this.#open(userId, signal)
    } catch (error) {
      this.state.set({ kind: 'failed', userId, error: error instanceof Error ? error : new Error(String(error)) })
    }
  }

  /** Its file is damaged, and marked so: another one takes its place. */
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
    // Sign-in screens need none of it. It is loaded while the tables are asked for.
    const loading = import('./local-database.ts')
    loading.catch(() => undefined) // it fails where it is awaited
    const schema =
      (await cachedSchema(store, userId)) ?? (await fetchFirstSchema(this.#options, { userId, signal, onProblem }))
    if (!schema || signal.aborted) return
    const { openLocalDatabase } = await loading
    if (signal.aborted) return
    const onDamage = (): void => void this.#inTurn(() => this.#reopen(userId))
    const damagedFiles = this.#damagedFiles
    const local = await openLocalDatabase({ ...this.#options, userId, schema, damagedFiles, onDamage })
    if (signal.aborted) return local.close()
    const current = session.state.get()
    if ('user' in current && current.user.id === userId) {
      await people.remember(current.user).catch(this.#options.onProblem) // only for showing
    }
    if (signal.aborted) return local.close()
    this.state.set({ kind: 'open', local })
    local.connect()
  }
}

function assertNone(unsent: UnsentCount): void {
  if (unsent.waiting > 0 || unsent.attention > 0 || unsent.files > 0) throw new UnsentChanges(unsent)
}

/** Resolves when the value is another one. */
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
