import type { AddressInfo } from 'node:net'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** What a test makes the provider do. */
export interface SigningProvider extends AsyncDisposable {
  readonly url: string
  /** Added to the standard claims of every ID token; `undefined` removes one. */
  claims: Record<string, unknown>
  /** The issuer that tokens and discovery name; the url plus this. */
  readonly issuer: string
  /** Answers of other addresses, by path: what an API says about the person. */
  readonly pages: Map<string, unknown>
  /** What the last request to the token endpoint said. */
  readonly lastTokenRequest:
    | { readonly headers: IncomingMessage['headers']; readonly form: URLSearchParams }
    | undefined
  /** Follows an address of ours and comes straight back with a code. */
  authorize(address: string): Promise<URLSearchParams>
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** Whether it knows the app by a secret in the body only. */
  wantsSecretInBody: boolean
  /** Whether the token endpoint gives an ID token. */
  givesIdToken: boolean
}

/**
 * A provider without screens, for what a certified one would never do, and for the particular ways of the big ones.
 *
 * @param options.issuerPath - `/v2.0`, as Azure has it
 * @param options.authorizePath - where people are sent, by default `/authorize`
 */
export async function openSigningProvider(
  options: { readonly issuerPath?: string; readonly tokenPath?: string; readonly audience?: string } = {},
): Promise<SigningProvider> {
  const { issuerPath = '', tokenPath = '/token', audience = 'holdfast' } = options
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const nonces = new Map<string, string | undefined>()
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = url + issuerPath
  let lastTokenRequest: SigningProvider['lastTokenRequest']

  const sign: SigningProvider['sign'] = (claims) => {
    const nowS = Math.floor(Date.now() / 1000)
    const all = {
      iss: issuer,
      aud: audience,
      iat: nowS,
      exp: nowS + 600,
      sub: 'person-1',
      ...provider.claims,
      ...claims,
    }
    const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return new SignJWT(kept).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
  }

  const provider: SigningProvider = {
    url,
    issuer,
    claims: {},
    pages: new Map<string, unknown>(),
    givesIdToken: true,
    wantsSecretInBody: false,
    get lastTokenRequest() {
      return lastTokenRequest
    },
    sign,
    async authorize(address) {
      const asked = new URL(address).searchParams
      const code = crypto.randomUUID()
      nonces.set(code, asked.get('nonce') ?? undefined)
      return new URLSearchParams({ code, state: asked.get('state') ?? '' })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return provider

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', url).pathname
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (path === `${issuerPath}/.well-known/openid-configuration`) {
      json(200, discoveryDocument({ issuer, url, tokenPath }))
      return
    }
    if (path === '/keys') {
      json(200, { keys: [jwk] })
      return
    }
    if (path === tokenPath) {
      lastTokenRequest = { headers: request.headers, form: await readForm(request) }
      const { status, body } = await answerTokenRequest(lastTokenRequest.form, { provider, nonces })
      json(status, body)
      return
    }
    if (!provider.pages.has(path)) json(404, { message: 'no such page' })
    else if (request.headers.authorization !== 'Bearer access') json(401, { message: 'no token' })
    else json(200, provider.pages.get(path))
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

/** @param flows.nonces - by code, as they came with the authorization request */
async function answerTokenRequest(
  form: URLSearchParams,
  flows: { readonly provider: SigningProvider; readonly nonces: Map<string, string | undefined> },
): Promise<{ readonly status: number; readonly body: object }> {
  const { provider, nonces } = flows
  const code = form.get('code') ?? ''
  if (provider.wantsSecretInBody && !form.has('client_secret'))
    return { status: 401, body: { error: 'invalid_client' } }
  if (!nonces.has(code)) return { status: 400, body: { error: 'invalid_grant' } }
  const nonce = nonces.get(code)
  nonces.delete(code)
  const idToken = provider.givesIdToken ? { id_token: await provider.sign({ nonce, ...provider.claims }) } : {}
  const tokens = { access_token: 'access', refresh_token: 'refresh', token_type: 'Bearer', expires_in: 60 }
  return { status: 200, body: { ...tokens, ...idToken } }
}

function discoveryDocument({ issuer, url, tokenPath }: { issuer: string; url: string; tokenPath: string }): object {
  return {
    issuer,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: url + tokenPath,
    jwks_uri: `${url}/keys`,
  }
}
