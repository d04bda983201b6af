import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'

/** Whoever is at the screens of the provider next, in the words of OpenID. */
export interface IssuedPerson {
  readonly sub: string
  readonly email: string
  readonly email_verified: boolean
}

/** The least that is an OpenID provider: everybody who comes is `person`, and agrees at once. */
export interface Issuer extends AsyncDisposable {
  readonly url: string
  person: IssuedPerson
  /** An ID token as an app gets it that speaks with the provider by itself. */
  issueIdToken(claims?: Readonly<Record<string, unknown>>): string
}

/** @param clientId - of the server that is under test */
export async function openIssuer(clientId: string): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomUUID()
  /** What the browser brought, by code. */
  const flows = new Map<string, Flow>()
  const server = createServer((request, response) => {
    const requested = new URL(request.url ?? '/', 'http://issuer')
    const answer = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    switch (requested.pathname) {
      case '/.well-known/openid-configuration':
        answer(discoveryDocument(issuer.url))
        break
      case '/keys':
        answer({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }] })
        break
      case '/authorize': {
        const code = randomUUID()
        const query = requested.searchParams
        flows.set(code, {
          nonce: query.get('nonce') ?? undefined,
          challenge: query.get('code_challenge') ?? undefined,
        })
        const back = new URL(query.get('redirect_uri') ?? '')
        back.searchParams.set('code', code)
        back.searchParams.set('state', query.get('state') ?? '')
        response.writeHead(302, { location: back.href }).end()
        break
      }
      case '/token': {
        let text = ''
        request.on('data', (chunk: Buffer) => (text += chunk.toString()))
        request.on('end', () => {
          const form = new URLSearchParams(text)
          const flow = flows.get(form.get('code') ?? '')
          if (!flow || !isProven(flow, form)) {
            answer({ error: 'invalid_grant' }, 400)
            return
          }
          const idToken = issuer.issueIdToken(flow.nonce === undefined ? {} : { nonce: flow.nonce })
          answer({ access_token: randomUUID(), token_type: 'bearer', expires_in: 600, id_token: idToken })
        })
        break
      }
      case '/me':
        answer(issuer.person)
        break
      default:
        answer({ error: 'not_found' }, 404)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    person: newPerson(),
    issueIdToken(claims = {}) {
      const nowS = Math.floor(Date.now() / 1000)
      const times = { iat: nowS, exp: nowS + 600 }
      const payload = { iss: issuer.url, aud: clientId, ...times, ...issuer.person, ...claims }
      const input = [{ alg: 'ES256', typ: 'JWT', kid }, payload]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${input}.${signature.toString('base64url')}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

/** What the browser brought to the authorization endpoint. */
interface Flow {
  readonly nonce: string | undefined
  readonly challenge: string | undefined
}

/** Whether the code verifier is the one that the challenge was made of. */
function isProven({ challenge }: Flow, form: URLSearchParams): boolean {
  const verifier = form.get('code_verifier') ?? ''
  return challenge === undefined || challenge === createHash('sha256').update(verifier).digest('base64url')
}

export function newPerson(): IssuedPerson {
  const sub = randomUUID()
  return { sub, email: `${sub}@example.org`, email_verified: true }
}

function discoveryDocument(url: string): object {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/me`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}
