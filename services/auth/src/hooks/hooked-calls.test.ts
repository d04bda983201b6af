import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { admitHookedCalls, limitHookedCalls } from './hooked-calls.ts'

interface Held {
  /** Requests whose handlers have begun. */
  readonly begun: string[]
  readonly app: FastifyInstance
  release(): void
}

function openHeld(isNeeded: boolean, which?: 'writes'): Held {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun: string[] = []
  const app = Fastify()
  admitHookedCalls(app, limitHookedCalls(isNeeded), which)
  const hold = async (request: FastifyRequest): Promise<string> => {
    begun.push(request.ip)
    await promise
    return request.ip
  }
  app.get('/', hold)
  app.post('/', hold)
  return { begun, app, release: () => resolve() }
}

const from = (app: FastifyInstance, addresses: readonly string[], method: 'GET' | 'POST' = 'POST') =>
  addresses.map(async (remoteAddress) => (await app.inject({ method, url: '/', remoteAddress })).statusCode)

const addresses = Array.from({ length: 30 }, (_, at) => `198.51.100.${at}`)

test('requests that may wait for a hook leave connections for others, and all are answered', async () => {
  const { app, begun, release } = openHeld(true)
  const answers = from(app, addresses)
  await expect.poll(() => begun.length).toBe(12)
  // An excess request would have started by now.
  expect((await app.inject({ url: '/nothing' })).statusCode).toBe(404)
  expect(begun).toHaveLength(12)
  release()
  expect(await Promise.all(answers)).toEqual(addresses.map(() => 200))
})

test('one address leaves permits to others', async () => {
  const { app, begun, release } = openHeld(true)
  const answers = from(app, Array<string>(30).fill('203.0.113.9'))
  await expect.poll(() => begun.length).toBe(6)
  answers.push(...from(app, ['198.51.100.1']))
  await expect.poll(() => begun).toContain('198.51.100.1')
  release()
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
})

test.each([
  ['without hooks', openHeld(false), 'POST'],
  ['that read, where only writes ask', openHeld(true, 'writes'), 'GET'],
] as const)('requests %s wait for nothing', async (_what, { app, begun, release }, method) => {
  const answers = from(app, addresses, method)
  await expect.poll(() => begun.length).toBe(30)
  release()
  expect(await Promise.all(answers)).toEqual(addresses.map(() => 200))
})
