import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { READ_BYTES, bufferedSocket, readChunks } from './read-buffer.ts'

/** A connection whose other end is driven by `send`. */
async function connect(send: (socket: Socket) => void): Promise<{ readonly socket: Socket } & Disposable> {
  const server = createServer(send)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = bufferedSocket()
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
  return {
    socket,
    [Symbol.dispose]() {
      socket.destroy()
      server.close()
    },
  }
}

const BYTES = Buffer.from(Array.from({ length: 5 * READ_BYTES + 17 }, (_, index) => index % 251))

test('who listens keeps what came before, and who takes the connection over reads all that follows', async () => {
  const greeting = Buffer.from('welcome')
  const taken = Promise.withResolvers<void>()
  using connection = await connect((socket) => {
    socket.write(greeting)
    void taken.promise.then(() => socket.end(BYTES))
  })
  const { socket } = connection
  const heard = await new Promise<Buffer>((resolve) => {
    let have = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      have = Buffer.concat([have, chunk])
      if (have.length >= greeting.length) resolve(have)
    })
  })
  const chunks: Buffer[] = []
  let pauses = 0
  readChunks(socket, (chunk) => {
    chunks.push(Buffer.from(chunk)) // the bytes are invalid after the call
    if (pauses++ > 3) return
    socket.pause()
    setImmediate(() => socket.resume())
  })
  taken.resolve()
  await once(socket, 'close')
  expect(heard).toEqual(greeting)
  expect(Buffer.concat(chunks).equals(BYTES)).toBe(true)
  expect(pauses).toBeGreaterThan(3)
})

test('a paused connection reads nothing until it is resumed', async () => {
  using connection = await connect((socket) => {
    socket.end(BYTES)
    socket.on('error', () => undefined)
  })
  const { socket } = connection
  let bytes = 0
  let isPaused = false
  let whilePaused = 0
  readChunks(socket, (chunk) => {
    if (isPaused) whilePaused += chunk.length
    bytes += chunk.length
    if (bytes !== chunk.length) return
    isPaused = true
    socket.pause()
    setTimeout(() => {
      isPaused = false
      socket.resume()
    }, 50)
  })
  await once(socket, 'close')
  expect({ bytes, whilePaused }).toEqual({ bytes: BYTES.length, whilePaused: 0 })
})
