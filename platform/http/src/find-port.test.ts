import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { findPort } from './find-port.ts'

const open: { close?: () => unknown; destroy?: () => unknown }[] = []
afterEach(() => {
  for (const each of open.splice(0)) (each.destroy ?? each.close)?.call(each)
})

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => void open.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1')
  open.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

/** A connection, and its ephemeral local port. */
async function connection(): Promise<{ readonly socket: Socket; readonly port: number }> {
  const { port } = await listen()
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined)
  open.push(socket)
  await new Promise((resolve) => socket.once('connect', resolve))
  return { socket, port: socket.localPort ?? 0 }
}

describe('a port', () => {
  test('that a passing connection has is waited for', async () => {
    const { socket, port } = await connection()
    let isHeld = true
    const found = findPort('127.0.0.1', port).then((result) => [result, isHeld])
    setTimeout(() => {
      isHeld = false
      socket.resetAndDestroy()
    }, 300)
    expect(await found).toEqual([port, false])
  })

  test('that a connection keeps is refused with what has it', async () => {
    const { port } = await connection()
    await expect(findPort('127.0.0.1', port)).rejects.toMatchObject({
      code: 'port_busy',
      message: `Port ${port} on 127.0.0.1 is in use by a connection of another program.`,
      hint: expect.stringContaining('--port') as string,
    })
  })

  test.each(['127.0.0.1', '0.0.0.0'])('of %s that has a listener is refused as such', async (host) => {
    const { port } = await listen()
    await expect(findPort(host, port)).rejects.toMatchObject({ message: `Port ${port} on ${host} is already in use.` })
  })
})
