import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { isEvent, openRealtimeWorld } from './realtime-world.ts'
import { openWireBus } from './wire-bus.ts'

test('a server serves channels while no server reads the changes, and says why there are no table changes', async () => {
  const [bus] = openWireBus(silentLogger)
  const world = await openRealtimeWorld({}, undefined, undefined, bus)
  onTestFinished(() => world[Symbol.asyncDispose]())
  world.standBy(true)
  const client = await world.connect()
  await client.join('realtime:room')
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
    message: expect.stringContaining('The server that reads the table changes does not answer') as unknown,
  })
})
