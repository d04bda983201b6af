import { SCHEMA_PATH, type SchemaDescriptor, errorMessage } from '@holdfast/protocol'
import { readJson, type KeyValueStore } from '../key-value.ts'

export type SchemaAnswer =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'schema'; readonly schema: SchemaDescriptor }
  /** `status` is `undefined` without a response. */
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly message: string }

/** Response timeout in ms. */
const ANSWER_TIMEOUT_MS = 20_000

/** Fetches the user's schema. `version`: the cached one. */
export async function fetchSchema(
  input: { readonly url: string; readonly token: string; readonly version: string | undefined },
  fetch: typeof globalThis.fetch,
): Promise<SchemaAnswer> {
  try {
    const response = await fetch(`${input.url}${SCHEMA_PATH}`, {
      headers: {
        authorization: `Bearer ${input.token}`,
        ...(input.version ? { 'if-none-match': `"${input.version}"` } : {}),
      },
      // The version is compared here; the browser's cache would turn a 304 into a 200.
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (response.status === 304) return { kind: 'unchanged' }
    if (response.status !== 200) {
      return { kind: 'failed', status: response.status, message: await refusalMessage(response) }
    }
    const schema = (await response.json()) as SchemaDescriptor
    if (!Array.isArray(schema.tables)) return { kind: 'failed', status: 200, message: 'The response is not a schema' }
    return schema.version === input.version ? { kind: 'unchanged' } : { kind: 'schema', schema }
  } catch (error) {
    return { kind: 'failed', status: undefined, message: errorMessage(error) }
  }
}

async function refusalMessage(response: Response): Promise<string> {
  // An intermediary may respond in any format.
  const body = (await response.json().catch(() => undefined)) as { error?: { description?: unknown } } | undefined
  const description = body?.error?.description
  return typeof description === 'string' ? description : `The server answered ${response.status}`
}

/** Returns the schema of the last start, for starting offline. */
export function cachedSchema(store: KeyValueStore, userId: string): Promise<SchemaDescriptor | undefined> {
  return readJson(store, schemaKey(userId))
}

export async function cacheSchema(store: KeyValueStore, userId: string, schema: SchemaDescriptor): Promise<void> {
  await store.setItem(schemaKey(userId), JSON.stringify(schema))
}

export async function forgetSchema(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(schemaKey(userId))
}

function schemaKey(userId: string): string {
  return `holdfast-schema:${userId}`
}
