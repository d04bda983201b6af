import { expect, test } from 'vitest'
import { realtimeRoutes } from './realtime.ts'

/** Runs a route as a developer. */
function run(path: string): Promise<unknown> {
  const routes = realtimeRoutes({
    pool: undefined as never,
    callApi: () => Promise.reject(new Error('no API is called')),
    openSession: () => Promise.reject(new Error('no session is opened')),
    realtime: undefined,
  })
  const found = routes.find((one) => one.path === path)
  const session = { state: 'complete', operator: { role: 'developer' } }
  const input = { topic: 'team', isPrivate: false, event: 'test', payload: '{}', as: { kind: 'anon' } }
  return found?.run({ session, query: input, body: input, note: () => undefined } as never) ?? Promise.resolve()
}

test('a server without channels says how to switch them on', async () => {
  for (const path of ['/realtime/channels', '/realtime/channel', '/realtime/messages', '/realtime/broadcast'])
    await expect(run(path), path).rejects.toMatchObject({ code: 'realtime_off', status: 409 })
})
