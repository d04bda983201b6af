import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, openAuthWorld } from './auth-world.ts'

// PostgREST's exact errors for tokens signed with the project's secret.

let world: AuthWorld
const nowS = Math.floor(Date.now() / 1000)

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

function sign(claims: object): string {
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims]
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${input}.${createHmac('sha256', world.jwtSecret).update(input).digest('base64url')}`
}

async function ask(
  authorization: string,
): Promise<{ readonly status: number; readonly body: unknown; readonly challenge: string | null }> {
  const answer = await fetch(`${world.url}/rest/v1/`, { headers: { apikey: world.anonKey, authorization } })
  const body: unknown = answer.status === 200 ? undefined : await answer.json()
  return { status: answer.status, body, challenge: answer.headers.get('www-authenticate') }
}

describe('a token over REST', () => {
  test.each([
    ['without exp', { role: 'authenticated' }],
    ['with null claims', { role: 'authenticated', exp: null, nbf: null, iat: null, aud: null }],
    ['issued by a clock up to 30 s ahead', { role: 'authenticated', iat: nowS + 20, nbf: nowS + 20 }],
  ])('%s is accepted', async (_title, claims) => {
    expect(await ask(`Bearer ${sign(claims)}`)).toMatchObject({ status: 200 })
  })

  test.each([
    [{ exp: 'soon' }, 'PGRST303', "The JWT 'exp' claim must be a number"],
    [{ nbf: 'soon' }, 'PGRST303', "The JWT 'nbf' claim must be a number"],
    [{ iat: 'soon' }, 'PGRST303', "The JWT 'iat' claim must be a number"],
    [{ aud: { name: 'authenticated' } }, 'PGRST303', "The JWT 'aud' claim must be a string or an array of strings"],
    [{ aud: [7, 'authenticated'] }, 'PGRST303', "The JWT 'aud' claim must be a string or an array of strings"],
    [{ aud: 'another' }, 'PGRST303', 'JWT not in audience'],
    [{ nbf: 4_000_000_000 }, 'PGRST303', 'JWT not yet valid'],
    [{ iat: 4_000_000_000 }, 'PGRST303', 'JWT issued at future'],
    [{ exp: 1_700_000_000 }, 'PGRST303', 'JWT expired'],
  ])('with claims %j is refused with %s: %s', async (claims, code, message) => {
    expect(await ask(`Bearer ${sign({ role: 'authenticated', ...claims })}`)).toMatchObject({
      status: 401,
      body: { code, message, details: null, hint: null },
      challenge: `Bearer error="invalid_token", error_description="${message}"`,
    })
  })

  test.each(['Bearer', 'bearer '])('is refused if empty: "%s"', async (authorization) => {
    expect(await ask(authorization)).toMatchObject({
      status: 401,
      body: { code: 'PGRST301', message: 'Empty JWT is sent in Authorization header' },
    })
  })
})
