import { WRITE_RULES_PATH, type WriteRules } from '@holdfast/protocol'
import { readJson, type KeyValueStore } from '../key-value.ts'

/** Response timeout in ms. */
const ANSWER_TIMEOUT_MS = 20_000

/**
 * Fetches the user's write rules.
 *
 * @param input.version - of the cached rules
 * @returns `unchanged`, or `undefined` without a response
 */
export async function fetchWriteRules(
  input: { readonly url: string; readonly token: string; readonly version: string | undefined },
  fetch: typeof globalThis.fetch,
): Promise<WriteRules | 'unchanged' | undefined> {
  try {
    const response = await fetch(`${input.url}${WRITE_RULES_PATH}`, {
      headers: {
        authorization: `Bearer ${input.token}`,
        ...(input.version ? { 'if-none-match': `"${input.version}"` } : {}),
      },
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (response.status === 304) return 'unchanged'
    if (response.status !== 200) return undefined
    const rules = (await response.json()) as WriteRules
    return typeof rules.tables === 'object' && typeof rules.facts === 'object' ? rules : undefined
  } catch {
    return undefined // offline: writes are judged by the cached rules, and finally by the server
  }
}

export function cachedWriteRules(store: KeyValueStore, userId: string): Promise<WriteRules | undefined> {
  return readJson(store, rulesKey(userId))
}

/** Caches the rules for offline starts; failure is harmless. */
export async function cacheWriteRules(store: KeyValueStore, userId: string, rules: WriteRules): Promise<void> {
  try {
    await store.setItem(rulesKey(userId), JSON.stringify(rules))
  } catch {
    await store.removeItem(rulesKey(userId)) // no rules are better than outdated ones
  }
}

export async function forgetWriteRules(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(rulesKey(userId))
}

function rulesKey(userId: string): string {
  return `holdfast-write-rules:${userId}`
}
