import type { SchemaDescriptor } from '@holdfast/protocol'
import type { KeyValueStore } from '../key-value.ts'
import { cachedSchema, cacheSchema, fetchSchema, forgetSchema } from '../schema/fetch-schema.ts'
import type { DevicePeople } from '../people/device-people.ts'
import type { Session } from '../session/session.ts'
import { forgetIncomplete } from '../status/watch-incomplete.ts'
import { retryDelayMs } from '../upload/backoff.ts'
import { createValue, type Value } from '../value.ts'
import { UnsentChanges } from './unsent-changes.ts'
import { openLocalDatabase, type LocalDatabase, type LocalDatabaseOptions } from './local-database.ts'

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

export interface DeviceOptions extends Omit<LocalDatabaseOptions, 'userId' | 'schema'> {
  readonly store: KeyValueStore
  readonly session: Session
  readonly people: DevicePeople
}

/** Keeps exactly one database open: that of the signed-in person, each person's in a file of its own. */
export function openDevice(options: DeviceOptions): Device {
  const { session, store, people } = options
  const state = createValue<DeviceState>({ kind: 'none' })
  let turn: Promise<void> = Promise.resolve()
  let opening = new AbortController()
  let closed = false

  const follow = (): void => {
    const current = session.state.get()
    if (current.kind === 'booting') return
    const userId = current.kind === 'signed_out' ? undefined : current.user.id
    if (userId === shownUser(state.get()) && state.get().kind !== 'failed') return
    opening.abort()
    opening = new AbortController()
    const { signal } = opening
    turn = turn.then(() => change(userId, signal))
  }
  const stopSession = session.state.subscribe(follow)
  follow()

  return {
    state,
    async release({ wipe, discardUnsent }) {
      if (wipe && !discardUnsent) await assertAllSent()
      opening.abort()
      turn = turn.then(() => closeCurrent(wipe))
      await turn
    },
    async [Symbol.asyncDispose]() {
      closed = true
      stopSession()
      opening.abort()
      turn = turn.then(() => closeCurrent(false))
      await turn
    },
  }

  async function assertAllSent(): Promise<void> {
    const current = state.get()
    if (current.kind !== 'open') return
    // Nothing may slip in between the look and the end.
    await current.local.disconnect()
    const unsent = await current.local.countUnsent()
    if (unsent.waiting === 0 && unsent.attention === 0 && unsent.files === 0) return
    current.local.connect()
    throw new UnsentChanges(unsent)
  }

  async function closeCurrent(wipe: boolean): Promise<void> {
    const current = state.get()
    state.set({ kind: 'none' })
    if (current.kind !== 'open') return
    const { local } = current
    try {
      if (wipe) {
        await forgetSchema(store, local.userId)
        await forgetIncomplete(store, local.userId)
        await people.forget(local.userId)
      } else {
        const { waiting, attention, files } = await local.countUnsent()
        await people.rememberUnsent(local.userId, waiting + attention + files)
      }
    } finally {
      await local.close({ wipe })
    }
  }

  async function change(userId: string | undefined, signal: AbortSignal): Promise<void> {
    const current = state.get()
    if (signal.aborted || closed || (current.kind === 'open' && current.local.userId === userId)) return
    await closeCurrent(false)
    if (userId === undefined) return
    state.set({ kind: 'opening', userId, problem: undefined })
    try {
      const schema = (await cachedSchema(store, userId)) ?? (await firstSchema(userId, signal))
      if (!schema || signal.aborted) return
      const local = await openLocalDatabase({ ...options, userId, schema })
      if (signal.aborted) return await local.close()
      const current = session.state.get()
      if ('user' in current && current.user.id === userId) await people.remember(current.user)
      if (signal.aborted) return await local.close()
      state.set({ kind: 'open', local })
      local.connect()
    } catch (error) {
      state.set({ kind: 'failed', userId, error: error instanceof Error ? error : new Error(String(error)) })
    }
  }

  /** A device that was never here needs the server once. */
  async function firstSchema(userId: string, signal: AbortSignal): Promise<SchemaDescriptor | undefined> {
    const tokens = session.tokensOf(userId)
    for (let attempt = 1; !signal.aborted; attempt++) {
      const problem = await (async (): Promise<SchemaDescriptor | string> => {
        const token = await tokens.token().catch(() => undefined)
        if (token === undefined) return 'The session cannot be confirmed now'
        const answer = await fetchSchema({ url: options.url, token, version: undefined }, options.fetch)
        return answer.kind === 'schema' ? answer.schema : answer.kind === 'failed' ? answer.message : 'No schema'
      })()
      if (typeof problem !== 'string') {
        await cacheSchema(store, userId, problem)
        return problem
      }
      state.set({ kind: 'opening', userId, problem })
      await pause(retryDelayMs(attempt, undefined, options.random), signal)
    }
    return undefined
  }
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

/** Resolves after `ms` or as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
