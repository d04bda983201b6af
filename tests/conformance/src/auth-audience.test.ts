import { createHmac } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthWorld, claimsOf, openAuthWorld, type SignedUp } from './auth-world.ts'

// Every API refuses a token that was issued for another service of the same project.

let world: AuthWorld
let person: SignedUp

beforeAll(async () => {
  world = await openAuthWorld()
  person = await world.signUp()
})
afterAll(() => world[Symbol.asyncDispose]())

/** The user's claims with another audience, signed with the project's secret. */
function tokenFor(aud: unknown): string {
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { ...claimsOf(person.session.access_token), aud },
  ]
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${input}.${createHmac('sha256', world.jwtSecret).update(input).digest('base64url')}`
}

const clientWith = (token: string) => createClient(world.url, world.anonKey, { accessToken: async () => token })

const openStream = (token: string): Promise<Response> =>
  fetch(`${world.url}/sync/stream`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ buckets: [], raw_data: true }),
    signal: AbortSignal.timeout(10_000),
  })

describe("a token's audience", () => {
  describe('refused', () => {
    test.each([['another'], [['another', 'third']], [[]], ['']])('%j is refused by every API', async (aud) => {
      const token = tokenFor(aud)
      const user = await person.auth.getUser(token)
      expect(user.error).toMatchObject({ status: 403, code: 'bad_jwt' })
      const rows = await clientWith(token).from('anything').select()
      expect([rows.status, rows.error]).toMatchObject([401, { code: 'PGRST303', message: 'JWT not in audience' }])
      const stream = await openStream(token)
      expect([stream.status, await stream.json()]).toMatchObject([401, { error: { code: 'PSYNC_S2105' } }])
    })
  })

  test.each([['authenticated'], [['another', 'authenticated']], [undefined]])(
    '%j is accepted by every API',
    async (aud) => {
      const token = tokenFor(aud)
      expect((await person.auth.getUser(token)).error).toBeNull()
      expect((await clientWith(token).from('anything').select()).error?.code).toBe('PGRST205')
      const stream = await openStream(token)
      expect(stream.status).toBe(200)
      await stream.body?.cancel()
    },
  )

  test('is not required of API keys', async () => {
    const service = createClient(world.url, world.serviceRoleKey)
    expect((await service.auth.admin.listUsers()).error).toBeNull()
    expect((await service.from('anything').select()).error?.code).toBe('PGRST205')
  })
})
