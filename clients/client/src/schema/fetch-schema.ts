import { SCHEMA_PATH, type SchemaDescriptor } from '@holdfast/protocol'
import { readJson, type KeyValueStore } from '../key-value.ts'

export type SchemaAnswer =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'schema'; readonly schema: SchemaDescriptor }
  /** `status` is `undefined` when there was no answer. */
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly message: string }

/** An answer that takes longer is given up, in milliseconds. */
const ANSWER_TIMEOUT_MS = 20_000

/** Asks the server for the tables of the person. `version`: the one already here. */
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
    if (!Array.isArray(schema.tables)) return { kind: 'failed', status: 200, message: 'The answer is not a schema' }
    return schema.version === input.version ? { kind: 'unchanged' } : { kind: 'schema', schema }
  } catch (error) {
    return { kind: 'failed', status: undefined, message: error instanceof Error ? error.message : String(error) }
  }
}

async function refusalMessage(response: Response): Promise<string> {
  // What stands between us and the server may answer anything.
  const body = (await response.json().catch(() => undefined)) as { error?: { description?: unknown } } | undefined
  const description = body?.error?.description
  return typeof description === 'string' ? description : `The server answered ${response.status}`
}

/** The schema of the last start, for a start without network. */
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
