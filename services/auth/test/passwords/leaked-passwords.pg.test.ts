import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'
import { type HttpListener, openHttpListener } from '../open-http-listener.ts'

// The service of leaked passwords stands on this machine, with the range API of Have I Been Pwned.

const LEAKED = 'password of many'
const PADDED = 'password of nobody'

let world: AuthWorld
let service: HttpListener
let app: AuthApp

const suffixOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase().slice(5)

beforeAll(async () => {
  world = await openAuthWorld()
  service = await openHttpListener(() => ({ body: `0000:3\r\n${suffixOf(LEAKED)}:42\r\n${suffixOf(PADDED)}:0` }))
  app = await world.openApp({ passwordHibpEnabled: true, passwordHibpUrl: `${service.url}/` })
})

afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const signUp = (email: string, password: string, by = app) =>
  by.call({ method: 'POST', url: '/signup', payload: { email, password } })

const REFUSAL = {
  status: 422,
  body: {
    code: 'weak_password',
    message: 'Password is known to be weak and easy to guess, please choose a different one.',
    weak_password: { reasons: ['pwned'] },
  },
}

describe('a password that has leaked', () => {
  test('opens no account, and is told of by its first five characters only', async () => {
    expect(await signUp('leaked@example.org', LEAKED)).toMatchObject(REFUSAL)
    const { path, headers } = service.requests.at(-1) ?? {}
    expect(path).toMatch(/^\/range\/[0-9A-F]{5}$/)
    expect(headers).toMatchObject({ 'add-padding': 'true', 'user-agent': 'holdfast' })
  })

  test('is not what padding says', async () => {
    expect((await signUp('padded@example.org', PADDED)).status).toBe(200)
  })

  test('does not replace another one', async () => {
    const { access_token: token } = await app.signUp()
    const changed = await app.call({ method: 'PUT', url: '/user', token, payload: { password: LEAKED } })
    expect(changed).toMatchObject(REFUSAL)
  })

  test('lets in who has it already, and tells them', async () => {
    const before = await world.openApp()
    await signUp('early@example.org', LEAKED, before)
    const payload = { email: 'early@example.org', password: LEAKED }
    const signedIn = await app.call({ method: 'POST', url: '/token?grant_type=password', payload })
    expect(signedIn).toMatchObject({ status: 200, body: { weak_password: { reasons: ['pwned'] } } })
  })
})

describe('while the service fails', () => {
  const openWith = (answer: HttpListener['answer'], isClosed: boolean) => {
    service.answer = answer
    return world.openApp({
      passwordHibpEnabled: true,
      passwordHibpUrl: service.url,
      passwordHibpFailClosed: isClosed,
    })
  }

  test.each([
    ['with an error', () => ({ status: 503 })],
    ['with more than there can be', () => ({ body: `${'0'.repeat(300_000)}` })],
    ['with another address', () => ({ status: 302, headers: { location: 'https://example.org' } })],
  ])('%s, passwords are accepted, unless that is not wanted', async (title, answer) => {
    const address = `${title.length}@example.org`
    expect(await signUp(address, LEAKED, await openWith(answer, true))).toMatchObject({
      status: 500,
      body: { code: 'unexpected_failure' },
    })
    expect((await signUp(address, LEAKED, await openWith(answer, false))).status).toBe(200)
  })
})
