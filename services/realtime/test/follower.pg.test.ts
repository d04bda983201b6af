import { expect, onTestFinished, test } from 'vitest'
import { isEvent, openRealtimeWorld } from './realtime-world.ts'

test('a server that does not read the changes serves channels, and says where table changes are', async () => {
  const world = await openRealtimeWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const client = await world.connect()
  await client.join('realtime:room')
  world.standBy(true)
  const sent = await fetch(`${world.url}/api/broadcast`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ topic: 'room', event: 'x', payload: {} }] }),
  })
  expect(sent.status).toBe(202)
  await client.next((received) => Buffer.isBuffer(received))
  await client.join('realtime:changes', {
    config: { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] },
  })
  const told = (await client.next(isEvent('system'))) as readonly unknown[]
  expect(told[4]).toMatchObject({
    extension: 'postgres_changes',
    status: 'error',
    message: expect.stringContaining('Another server of this database reads the table changes') as unknown,
  })
})
