import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { expect, vi } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { REST_ROWS, REST_SCHEMA } from './rest-schema.ts'

export interface HttpRequest {
  readonly method?: string
  /** Whose key goes along; `nobody` sends none. */
  readonly as?: 'service' | 'anon' | 'nobody'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when it is a text or bytes, else as JSON. */
  readonly body?: unknown
}

export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly text: string
  /** The parsed body, when it is JSON. */
  readonly body: unknown
}

export interface RestWorld extends AsyncDisposable {
  readonly url: string
  /** As `postgres`. */
  readonly pool: Holdfast['admin']
  readonly anon: SupabaseClient
  readonly service: SupabaseClient
  /** Signs a person up; the client is theirs. */
  signIn(name: string): Promise<SupabaseClient>
  /** Asks below `/rest/v1` as curl would. */
  http(path: string, request?: HttpRequest): Promise<HttpAnswer>
  keyOf(role: 'service' | 'anon'): string
  /** Runs statements as `postgres`. */
  run(text: string): Promise<readonly unknown[]>
  /** Puts the rows back that every test begins with. */
  reset(): Promise<void>
}

/**
 * A whole server with a few tables.
 *
 * @param args - more arguments of `holdfast start`
 */
export async function openRestWorld(args: readonly string[] = []): Promise<RestWorld> {
  const holdfast = await openHoldfast({ args: ['--rest-schemas=public,api', ...args] })
  const pool = holdfast.admin
  const run = (text: string) =>
    pool.withClient(async (client) => {
      const result: unknown = await client.query(text)
      return Array.isArray(result) ? [] : (result as { rows: unknown[] }).rows
    })
  await run(REST_SCHEMA)
  await run(REST_ROWS)
  const options = { auth: { persistSession: false, autoRefreshToken: false } }
  const service = createClient(holdfast.url, holdfast.serviceRoleKey, options)
  await vi.waitFor(async () => expect((await service.schema('api').from('things').select()).error).toBeNull(), {
    timeout: 60_000,
  })
  await vi.waitFor(async () => expect((await service.from('last_made').select()).error).toBeNull(), { timeout: 60_000 })
  const keys = { service: holdfast.serviceRoleKey, anon: holdfast.anonKey, nobody: undefined }
  return {
    url: holdfast.url,
    pool,
    anon: await holdfast.supabase(),
    service,
    keyOf: (role) => keys[role],
    run,
    reset: async () => void (await run(REST_ROWS)),
    async signIn(name) {
      const client = await holdfast.supabase()
      const { error } = await client.auth.signUp({ email: `${name}@example.org`, password: 'correct horse battery' })
      if (error) throw error
      return client
    },
    async http(path, { method = 'GET', as = 'service', headers = {}, body } = {}) {
      const key = keys[as]
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      const answer = await fetch(`${holdfast.url}/rest/v1${path}`, {
        method,
        headers: {
          ...(key !== undefined && { apikey: key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isRaw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
      })
      const text = await answer.text()
      const isJson = /^application\/([\w.]+\+)?json/.test(answer.headers.get('content-type') ?? '') && text !== ''
      return {
        status: answer.status,
        statusText: answer.statusText,
        headers: answer.headers,
        text,
        body: isJson ? (JSON.parse(text) as unknown) : undefined,
      }
    },
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}
