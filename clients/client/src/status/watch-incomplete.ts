import type { CommonPowerSyncDatabase } from '@powersync/common'
import { INCOMPLETE_PATH, type IncompleteAnswer, type IncompleteTable } from '@holdfast/protocol'
import { readJson, type KeyValueStore } from '../key-value.ts'
import { steadyClock } from '../steady-clock.ts'
import { createValue, type Value } from '../value.ts'

/** Minimum interval in ms between requests; any checkpoint may change the result. */
export const ASK_EVERY_MS = 30_000
/** The same while the server is still reading a table, which takes seconds. */
const ASK_EVERY_READING_MS = 2_000
/** Delay in ms of the first request, because a checkpoint arrives in steps. */
const SETTLE_MS = 1_000
/** Response timeout in ms. */
const ANSWER_TIMEOUT_MS = 20_000

export interface IncompleteWatch extends Disposable {
  readonly tables: Value<readonly IncompleteTable[]>
}

export interface IncompleteOptions {
  readonly url: string
  readonly userId: string
  readonly store: KeyValueStore
  readonly fetch: typeof globalThis.fetch
  readonly token: () => Promise<string | undefined>
  /** Names of tables that this device cannot hold. */
  readonly omitted: Value<readonly string[]>
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}

/**
 * Maintains the list of incomplete tables. The sync stream reports it, too, but the SDK only logs it. Fetched after checkpoints and stored for starts without
 * network.
 */
export async function watchIncomplete(
  database: CommonPowerSyncDatabase,
  options: IncompleteOptions,
): Promise<IncompleteWatch> {
  const { url, userId, store, onProblem } = options
  const now = steadyClock(options.now)
  /** As reported by the server. */
  let known: readonly IncompleteTable[] = (await readJson(store, keyOf(userId))) ?? []
  const tables = createValue<readonly IncompleteTable[]>([])
  const combine = (): void =>
    tables.set([...options.omitted.get().map((table) => ({ table, reason: 'not_on_device' }) as const), ...known])
  combine()
  const stopOmitted = options.omitted.subscribe(combine)
  let asking: ReturnType<typeof setTimeout> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let lastSynced: number | undefined
  let isDisposed = false

  const stopStatus = database.registerListener({
    statusChanged: ({ connected, lastSyncedAt }) => {
      const synced = lastSyncedAt?.getTime()
      if (!connected || synced === lastSynced) return
      lastSynced = synced
      askSoon()
    },
  })

  return {
    tables,
    [Symbol.dispose]() {
      isDisposed = true
      stopStatus()
      stopOmitted()
      clearTimeout(asking)
    },
  }

  function askSoon(): void {
    asking ??= setTimeout(
      () => {
        asking = undefined
        if (!database.connected) return void (lastSynced = undefined) // asked on the next connection
        askedAt = now()
        ask().catch((error: unknown) => {
          if (!isDisposed && !database.closed) onProblem(error)
        })
      },
      Math.max(SETTLE_MS, askedAt + everyMs() - now()),
    )
    ;(asking as { unref?: () => void }).unref?.() // a Node process may exit while a database is open
  }

  function everyMs(): number {
    return tables.get().some(({ reason }) => reason === 'being_read') ? ASK_EVERY_READING_MS : ASK_EVERY_MS
  }

  async function ask(): Promise<void> {
    const token = await options.token()
    if (token === undefined) return
    const clientId = await database.getClientId()
    const answer = await fetchIncomplete(options.fetch, `${url}${INCOMPLETE_PATH}?client_id=${clientId}`, token)
    if (isDisposed) return
    // On failure the old result stays; retry, because the next checkpoint may be far off.
    if (!answer?.known) {
      if (database.connected) askSoon()
      return
    }
    if (JSON.stringify(answer.tables) === JSON.stringify(known)) return
    await store.setItem(keyOf(userId), JSON.stringify(answer.tables))
    known = answer.tables
    combine()
  }
}

async function fetchIncomplete(
  fetch: typeof globalThis.fetch,
  url: string,
  token: string,
): Promise<IncompleteAnswer | undefined> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (response.status !== 200) return undefined
    const answer = (await response.json()) as IncompleteAnswer
    return Array.isArray(answer.tables) ? answer : undefined
  } catch {
    return undefined // offline: retried while connected
  }
}

export async function forgetIncomplete(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(keyOf(userId))
}

function keyOf(userId: string): string {
  return `holdfast-incomplete:${userId}`
}
