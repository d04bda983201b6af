import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openRestWorld } from './rest-world.ts'

test('a client that takes nothing of its answers is cut off after a minute, however small they are', async () => {
  await using world = await openRestWorld()
  await world.rows(`create function text() returns text language sql stable as $$ select repeat('x', 100000) $$`)
  await world.refresh()
  const server = await world.listen()
  const connected = once(server, 'connection') as Promise<[Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  // More than what the system takes for a client that does not read.
  client.write('GET /rest/v1/rpc/text HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(200))
  const [socket] = await connected
  await expect.poll(() => socket.writableLength).toBeGreaterThan(0)

  await expect.poll(() => socket.timeout).toBe(60_000)
  socket.emit('timeout') // as it does after so long
  await expect.poll(() => socket.destroyed).toBe(true)
  client.destroy()
})
