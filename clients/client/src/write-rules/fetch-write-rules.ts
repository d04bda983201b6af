import { WRITE_RULES_PATH, type WriteRules } from '@holdfast/protocol'
import { readJson, type KeyValueStore } from '../key-value.ts'

/** An answer that takes longer is given up, in milliseconds. */
const ANSWER_TIMEOUT_MS = 20_000

/**
 * Asks the server what the policies for writing say to the person.
 *
 * @param input.version - of the rules that are here
 * @returns `unchanged`, or `undefined` when there is no answer now
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
    return undefined // no network: writes are judged by what is here, and by the server in the end
  }
}

export function cachedWriteRules(store: KeyValueStore, userId: string): Promise<WriteRules | undefined> {
  return readJson(store, rulesKey(userId))
}

/** Keeps them for a start without network. A full store only costs that. */
export async function cacheWriteRules(store: KeyValueStore, userId: string, rules: WriteRules): Promise<void> {
  try {
    await store.setItem(rulesKey(userId), JSON.stringify(rules))
  } catch {
    await store.removeItem(rulesKey(userId)) // none is better than those of an earlier time
  }
}

export async function forgetWriteRules(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(rulesKey(userId))
}

function rulesKey(userId: string): string {
  return `holdfast-write-rules:${userId}`
}
