import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { openAdminApi } from './call-as-admin.ts'
import type { AuthApp, SessionBody } from './open-auth-world.ts'

export const REDIRECT_URI = 'https://app.example.com/callback'
export const VERIFIER = 'a-verifier-of-at-least-forty-three-characters'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

export interface Client {
  readonly client_id: string
  readonly client_secret: string
}

interface TokenBody extends SessionBody {
  readonly id_token?: string
  readonly scope: string
  readonly error?: string
  readonly error_description?: string
}

type Fields = Readonly<Record<string, string>>

/** Another app that signs people in, its browser, and the page that asks them. */
export async function openOtherApp(app: AuthApp) {
  const admin = await openAdminApi(app)
  async function register(metadata: object = {}): Promise<Client> {
    const payload = { client_name: 'Another app', redirect_uris: [REDIRECT_URI], ...metadata }
    const { status, body } = await admin.call('POST', '/admin/oauth/clients', payload)
    expect(status).toBe(201)
    return body as unknown as Client
  }

  /** The browser asks. @returns where it is sent */
  async function authorize(client: Client, parameters: Fields = {}): Promise<URL> {
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid email',
      state: 'a state',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...parameters,
    })
    const answer = await app.call({ method: 'GET', url: `/oauth/authorize?${query.toString()}` })
    expect(answer.status).toBe(302)
    return new URL(String(answer.headers['location']))
  }

  async function begin(client: Client, parameters: Fields = {}): Promise<string> {
    return (await authorize(client, parameters)).searchParams.get('authorization_id') ?? ''
  }

  function look(id: string, token: string | undefined, headers: Fields = {}) {
    return app.call({ method: 'GET', url: `/oauth/authorizations/${id}`, token, headers })
  }

  function decide(id: string, token: string | undefined, action = 'approve') {
    return app.call({ method: 'POST', url: `/oauth/authorizations/${id}/consent`, payload: { action }, token })
  }

  function redirectOf(body: object): URL {
    return new URL(String((body as { readonly redirect_url?: string }).redirect_url))
  }

  /** The person agrees. @returns the code */
  async function consent(client: Client, person: SessionBody, parameters?: Fields) {
    const id = await begin(client, parameters)
    const details = await look(id, person.access_token)
    const answer = 'redirect_url' in details.body ? details : await decide(id, person.access_token)
    expect(answer.status).toBe(200)
    return redirectOf(answer.body).searchParams.get('code') ?? ''
  }

  /** The app asks. */
  async function ask(fields: Fields, headers: Fields = {}) {
    const answer = await app.call({
      method: 'POST',
      url: '/oauth/token',
      payload: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
    return { ...answer, body: answer.body as TokenBody }
  }

  function exchange(client: Client, code: string, fields: Fields = {}) {
    const all = {
      grant_type: 'authorization_code',
      code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT_URI,
      ...fields,
    }
    return ask(all, basic(client))
  }

  return { admin, register, authorize, begin, look, decide, redirectOf, consent, ask, exchange }
}

/** As a header. */
export function basic({ client_id: id, client_secret: secret }: Client): Fields {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}
