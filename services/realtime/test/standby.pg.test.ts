import { expect, onTestFinished, test } from 'vitest'
import { openRealtimeWorld, type RealtimeWorld } from './realtime-world.ts'

async function open(): Promise<RealtimeWorld> {
  const world = await openRealtimeWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  return world
}

const broadcast = (world: RealtimeWorld): Promise<Response> =>
  fetch(`${world.url}/api/broadcast`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ topic: 'room', event: 'x', payload: {} }] }),
  })

test('a server that stands by sends clients away, and takes them in when it has the channels', async () => {
  const world = await open()
  const early = await world.connect()
  await early.join('realtime:room')
  world.standBy(true)
  expect(await early.closed).toBe(1012)
  await expect(world.connect()).rejects.toThrow('503')
  world.standBy(false)
  const late = await world.connect()
  expect(await late.join('realtime:room')).toMatchObject({ status: 'ok' })
})

test('a server that stands by takes no broadcast, which would reach nobody', async () => {
  const world = await open()
  world.standBy(true)
  const refused = await broadcast(world)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  world.standBy(false)
  expect((await broadcast(world)).status).toBe(202)
})
