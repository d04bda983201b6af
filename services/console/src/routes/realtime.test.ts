import { expect, test } from 'vitest'
import { type ChannelSources, realtimeRoutes } from './realtime.ts'

/** Runs a route as a developer. */
function run(realtime: ChannelSources | undefined, path: string): Promise<unknown> {
  const routes = realtimeRoutes({
    pool: undefined as never,
    callApi: () => Promise.reject(new Error('no API is called')),
    openSession: () => Promise.reject(new Error('no session is opened')),
    realtime,
  })
  const found = routes.find((one) => one.path === path)
  const session = { state: 'complete', operator: { role: 'developer' } }
  const input = { topic: 'team', isPrivate: false, event: 'test', payload: '{}', as: { kind: 'anon' } }
  return found?.run({ session, query: input, body: input, note: () => undefined } as never) ?? Promise.resolve()
}

const standby: ChannelSources = {
  isStandby: () => true,
  channels: {
    list: () => ({ channels: [], count: 0 }),
    describe: (topic, isPrivate) => ({ topic, isPrivate, members: 0, users: [], present: 0, presence: [] }),
  },
}

test('a server that stands by says that another one serves the channels', async () => {
  for (const path of ['/realtime/channels', '/realtime/channel', '/realtime/broadcast'])
    await expect(run(standby, path), path).rejects.toMatchObject({ code: 'realtime_standby', status: 409 })
})

test('a server without channels says how to switch them on', async () => {
  for (const path of ['/realtime/channels', '/realtime/channel', '/realtime/messages', '/realtime/broadcast'])
    await expect(run(undefined, path), path).rejects.toMatchObject({ code: 'realtime_off', status: 409 })
})
