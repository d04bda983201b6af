import { describe, expect, test } from 'vitest'
import { fetchAsUser, objectPath, SignInNeeded, type StorageEndpoint } from './storage-endpoint.ts'

/** A server that answers the first token with `refusal` and the next with success. */
function endpoint(refusal: () => Response): StorageEndpoint & { sent: string[] } {
  const sent: string[] = []
  return {
    bodies: { tellsProgress: false, send: async () => expect.unreachable('no file is sent') },
    sent,
    url: 'http://played.example',
    anonKey: 'anon',
    tokens: { token: async () => 'first', refreshedToken: async () => 'second' },
    fetch: async (_input, init) => {
      const token = new Headers(init?.headers).get('authorization') ?? ''
      sent.push(token)
      return token === 'Bearer first' ? refusal() : new Response('stored')
    },
  }
}

const inJson = (message: string): Response =>
  Response.json({ statusCode: '403', error: 'Unauthorized', code: 'AccessDenied', message }, { status: 400 })

describe('a token that the server does not take', () => {
  test.each([
    ['in JSON', () => inJson('"exp" claim timestamp check failed')],
    ['in JSON, with another reason', () => inJson('signature verification failed')],
    ['as a text, by the resumable endpoint', () => new Response('"exp" claim timestamp check failed', { status: 403 })],
    ['with 401', () => new Response('', { status: 401 })],
  ])('is replaced once, when it says so %s', async (_how, refusal) => {
    const server = endpoint(refusal)
    expect(await (await fetchAsUser(server, '/object/x', {})).text()).toBe('stored')
    expect(server.sent).toEqual(['Bearer first', 'Bearer second'])
  })

  test('needs the person when there is no other one', async () => {
    const server = endpoint(() => new Response('', { status: 401 }))
    const signedOut = { ...server, tokens: { ...server.tokens, refreshedToken: async () => undefined } }
    await expect(fetchAsUser(signedOut, '/object/x', {})).rejects.toThrow(SignInNeeded)
  })
})

test('a right that is refused is an answer, and costs no token', async () => {
  const server = endpoint(() => inJson('new row violates row-level security policy'))
  expect((await fetchAsUser(server, '/object/x', {})).status).toBe(400)
  expect(server.sent).toEqual(['Bearer first'])
})

test('keys are encoded part by part', () => {
  expect(objectPath({ bucket: 'photos', path: 'a b/c&d/e+f.jpg' })).toBe('photos/a%20b/c%26d/e%2Bf.jpg')
})
