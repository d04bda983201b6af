import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { hashPassword } from '../../src/passwords/password-hasher.ts'

let world: AuthWorld
beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const ARGON2 = '$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk'
const FIREBASE =
  '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='

async function hashOf(email: string): Promise<string> {
  const [user] = await world.db.pool.query<{ encrypted_password: string }>(
    sql`select encrypted_password from auth.users where email = ${email}`,
  )
  return user?.encrypted_password ?? ''
}

const setHash = (email: string, hash: string): Promise<number> =>
  world.db.pool.execute(sql`update auth.users set encrypted_password = ${hash} where email = ${email}`)

describe('an account of a dump', () => {
  test.each([
    ['argon2', 'test', () => ARGON2],
    ['Firebase', 'user1password', () => FIREBASE],
    ['a higher cost', PASSWORD, () => hashPassword(PASSWORD, 6)],
  ] satisfies readonly (readonly [string, string, () => string | Promise<string>])[])(
    'with a hash of %s signs in, and has one of today after that',
    async (name, password, makeHash) => {
      await using app = await world.openApp()
      const email = `${name.replaceAll(' ', '-').toLowerCase()}@example.org`
      await app.signUp(email)
      const old = await makeHash()
      await setHash(email, old)
      expect((await app.signIn(email, 'wrong')).status).toBe(400)
      expect(await hashOf(email)).toBe(old)
      expect((await app.signIn(email, password)).status).toBe(200)
      await expect.poll(() => hashOf(email)).toMatch(/^\$2a\$04\$/)
      expect((await app.signIn(email, password)).status).toBe(200)
      expect((await app.signIn(email, 'wrong')).status).toBe(400)
    },
  )

  test('keeps its hash when it is of today', async () => {
    await using app = await world.openApp()
    await app.signUp('today@example.org')
    const hash = await hashOf('today@example.org')
    expect((await app.signIn('today@example.org', PASSWORD)).status).toBe(200)
    await app[Symbol.asyncDispose]()
    expect(await hashOf('today@example.org')).toBe(hash)
  })
})

describe('password rules', () => {
  test('are all named when a password is chosen, and told at sign-in when they came later', async () => {
    await using loose = await world.openApp()
    await loose.signUp('rules@example.org')
    await using strict = await world.openApp({
      minimumPasswordLength: 30,
      passwordRequirements: 'lower_upper_letters_digits',
    })
    const message =
      'Password should be at least 30 characters. Password should contain at least one character of each: ' +
      'abcdefghijklmnopqrstuvwxyz, ABCDEFGHIJKLMNOPQRSTUVWXYZ, 0123456789.'
    const payload = { email: 'weak@example.org', password: PASSWORD }
    expect(await strict.call({ method: 'POST', url: '/signup', payload })).toMatchObject({
      status: 422,
      body: { code: 'weak_password', message, weak_password: { reasons: ['length', 'characters'] } },
    })
    expect(await strict.signIn('rules@example.org', PASSWORD)).toMatchObject({
      status: 200,
      body: { weak_password: { message, reasons: ['length', 'characters'] } },
    })
  })

  test('that are unknown refuse the start', async () => {
    await expect(world.openApp({ passwordRequirements: 'digits' })).rejects.toThrow('passwordRequirements: digits')
  })
})
