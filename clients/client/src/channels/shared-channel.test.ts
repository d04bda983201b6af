import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { createValue } from '../value.ts'
import { SharedChannel } from './shared-channel.ts'
import { shareSocket } from './socket.ts'

test('a server without channels is asked ever more rarely, and not at all without a connection', async () => {
  let attempts = 0
  const server = createServer((_request, response) => response.writeHead(404).end())
  server.on('upgrade', (_request, socket) => {
    attempts += 1
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const supabase = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'anon', {
    auth: { persistSession: false, autoRefreshToken: false },
  })
  const gate = createValue<string | undefined>('ana')
  const socket = shareSocket(supabase, gate)
  const channel = new SharedChannel({ topic: 'here', isPrivate: true, supabase, socket, gate })
  const release = channel.hold()
  expect(channel.state.get()).toEqual({ kind: 'joining' })
  await expect.poll(() => channel.state.get().kind, { timeout: 20_000 }).toBe('unavailable')
  expect(attempts).toBe(3)
  expect(channel.send('x', {})).toBe(false)

  gate.set(undefined)
  expect(channel.state.get()).toEqual({ kind: 'offline' })
  release()
  await expect.poll(() => supabase.getChannels(), { timeout: 20_000 }).toEqual([])
  expect(supabase.realtime.connectionState()).toBe('closed')
  expect(attempts).toBe(3)
  await new Promise((resolve) => server.close(resolve))
})
