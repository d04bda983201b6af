import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { expect } from 'vitest'
import { openAdminApi } from './call-as-admin.ts'
import { CLIENT_ID, CLIENT_SECRET, type OidcProvider } from './open-oidc-provider.ts'
import type { AuthApp } from './open-auth-world.ts'

const BASE = 'http://127.0.0.1:54321'

/** Where a flow ended: the address in the browser, taken apart. */
export interface FlowResult {
  readonly status: number
  /** Without query and fragment. */
  readonly page: string
  readonly query: Readonly<Record<string, string>>
  readonly fragment: Readonly<Record<string, string>>
}

/** Asks where to go for signing in. @returns the provider's address */
export async function begin(app: AuthApp, query: Readonly<Record<string, string>>): Promise<string> {
  const answer = await app.call({ url: `/authorize?${new URLSearchParams(query).toString()}` })
  expect(answer.status, JSON.stringify(answer.body)).toBe(302)
  return String(answer.headers['location'])
}

/** Brings an answer of a provider to our callback. */
export async function comeBack(app: AuthApp, answer: URL | URLSearchParams): Promise<FlowResult> {
  const parameters = answer instanceof URL ? answer.searchParams : answer
  return readResult(await app.call({ url: `/callback?${parameters.toString()}` }))
}

export function readResult(answer: {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
}): FlowResult {
  const url = new URL(String(answer.headers['location']))
  return {
    status: answer.status,
    page: url.origin + url.pathname,
    query: Object.fromEntries(url.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(url.hash.slice(1))),
  }
}

/** The whole way, as a person who signs in at the provider. */
export async function signInAt(
  app: AuthApp,
  provider: OidcProvider,
  login: string,
  query: Readonly<Record<string, string>> = {},
): Promise<FlowResult> {
  const address = await begin(app, { provider: 'custom:oidc', ...query })
  return comeBack(app, await provider.signIn(address, login))
}

/** Makes the provider known, as `custom:oidc` unless said otherwise. */
export async function makeKnown(app: AuthApp, provider: OidcProvider, attributes: object = {}): Promise<void> {
  const admin = await openAdminApi(app)
  const answer = await admin.call('POST', '/admin/custom-providers', {
    provider_type: 'oidc',
    identifier: 'custom:oidc',
    name: 'OIDC',
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    issuer: provider.issuer,
    scopes: ['openid', 'email', 'profile'],
    ...attributes,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
}

/** The public client, in a tab of its own, with its requests led to the app. */
export async function openRealClient(
  app: AuthApp,
  options: { readonly flowType?: 'pkce' | 'implicit'; readonly role?: 'anon' | 'service_role' } = {},
): Promise<SupabaseClient> {
  const stored = new Map<string, string>()
  return createClient(BASE, options.role === 'service_role' ? app.auth.apiKeys.serviceRole : app.auth.apiKeys.anon, {
    auth: {
      flowType: options.flowType ?? 'pkce',
      autoRefreshToken: false,
      detectSessionInUrl: false,
      persistSession: true,
      storageKey: crypto.randomUUID(),
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
        removeItem: (key) => void stored.delete(key),
      },
    },
    global: {
      fetch: async (input, init) => {
        const request = new Request(input, init)
        const url = new URL(request.url)
        const body = await request.text()
        const answer = await app.call({
          method: request.method as 'GET' | 'POST' | 'PUT' | 'DELETE',
          url: url.pathname.replace('/auth/v1', '') + url.search,
          headers: Object.fromEntries(request.headers),
          ...(body === '' ? {} : { payload: body }),
        })
        const hasNoBody = answer.status === 204
        return new Response(hasNoBody ? null : JSON.stringify(answer.body), {
          status: answer.status,
          headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
        })
      },
    },
  })
}
