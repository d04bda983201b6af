// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration of another package cannot be imported
/// <reference path="./oidc-provider.d.ts" />
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { assert } from '@holdfast/foundation'

/** Where the services of `open-auth-world.ts` think that they are. */
export const CALLBACK = 'http://127.0.0.1:54321/auth/v1/callback'

export const CLIENT_ID = 'holdfast'
export const CLIENT_SECRET = 'a secret between the two of them'

/** The app's own client, which gets ID tokens without our help. */
export const APP_CLIENT_ID = 'the-app'
const APP_CALLBACK = 'http://127.0.0.1:54322/app'

/** What a person of the provider is like, in the words of OpenID. */
export type Person = Readonly<Record<string, unknown>>

/** A certified OpenID provider on loopback, and a person at its screens. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  /** By login; their `sub` is the login. */
  readonly people: Map<string, Person>
  /**
   * Follows an address of ours to the provider's screens, signs in there and agrees.
   *
   * @returns where the provider sends the browser in the end
   */
  signIn(address: string, login: string): Promise<URL>
  /** The same, and changes one's mind. */
  cancel(address: string): Promise<URL>
  /** What an app that speaks with the provider by itself is given. @param nonce - as the app made it; the token has its hash */
  issueTokens(login: string, nonce?: string): Promise<{ readonly idToken: string; readonly accessToken: string }>
}

export async function openOidcProvider(): Promise<OidcProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, Person>()
  const provider = createProvider(issuer, people)
  const listener = provider.callback()
  server.on('request', (request, response) => void listener(request, response))

  const browse = (address: string, act: Act): Promise<URL> => walk(issuer, address, act)

  const signIn = (address: string, login: string): Promise<URL> => {
    const prompts = ['login', 'consent']
    return browse(address, async (page, go) => {
      const prompt = prompts.shift() ?? 'consent'
      return go(page, prompt === 'login' ? { prompt, login, password: 'any' } : { prompt })
    })
  }

  return {
    issuer,
    people,
    signIn,
    cancel: (address) => browse(address, (page, go) => go(new URL(`${page.href}/abort`))),
    async issueTokens(login, nonce) {
      const verifier = randomUUID() + randomUUID()
      const query = new URLSearchParams({
        client_id: APP_CLIENT_ID,
        redirect_uri: APP_CALLBACK,
        response_type: 'code',
        scope: 'openid email profile',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(nonce === undefined ? {} : { nonce: createHash('sha256').update(nonce).digest('hex') }),
      })
      const back = await signIn(`${issuer}/auth?${query.toString()}`, login)
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: APP_CLIENT_ID,
          redirect_uri: APP_CALLBACK,
          code: back.searchParams.get('code') ?? '',
          code_verifier: verifier,
        }),
      })
      const tokens = (await response.json()) as { id_token: string; access_token: string }
      return { idToken: tokens.id_token, accessToken: tokens.access_token }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Go = (url: URL, form?: Record<string, string>) => Promise<Response>

/** Answers a page of the provider. */
type Act = (page: URL, go: Go) => Promise<Response>

function createProvider(issuer: string, people: ReadonlyMap<string, Person>): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        client_id: APP_CLIENT_ID,
        redirect_uris: [APP_CALLBACK],
        token_endpoint_auth_method: 'none',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture', 'groups'] },
    // The app's tokens say everything; ours leave addresses to userinfo, as is the standard.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
    features: { devInteractions: { enabled: true } },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context: unknown, login: string) => ({
      accountId: login,
      claims: async () => ({ sub: login, ...people.get(login) }),
    }),
  })
}

/** Follows the provider's pages as a browser with cookies does, until it leads elsewhere. */
async function walk(issuer: string, address: string, act: Act): Promise<URL> {
  const cookies = new Map<string, string>()
  const go: Go = async (url, form) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split('=', 2)
      cookies.set(name, value)
    }
    return response
  }
  let page = new URL(address)
  let response = await go(page)
  for (let step = 0; step < 20; step += 1) {
    const location = response.headers.get('location')
    if (location !== null) {
      page = new URL(location, page)
      if (page.origin !== issuer) return page
      response = await go(page)
      continue
    }
    assert(response.ok, `the provider shows a page, not ${response.status}: ${await response.clone().text()}`)
    response = await act(page, go)
  }
  throw new Error('the provider leads in circles')
}
