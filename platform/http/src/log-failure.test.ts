import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createHttpServer } from './create-server.ts'

interface Line {
  readonly level: string
  readonly message: string
}

async function serve() {
  const lines: Line[] = []
  const app = createHttpServer({ logger: { log: (level, message) => void lines.push({ level, message }) } })
  let begun = 0
  app.addHook('onRequest', async () => void begun++)
  app.post('/echo', async (request) => request.body)
  app.post('/bug', async () => {
    throw new Error('a bug')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    lines,
    port,
    begun: () => begun,
    failures: () => lines.filter(({ message }) => message === 'a request failed'),
  }
}

test('a client that breaks off its body is no error in the log', async () => {
  const { app, port, begun, failures } = await serve()
  for (let n = 0; n < 5; n++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"a":',
    )
    await expect.poll(begun, { timeout: 60_000 }).toBe(n + 1)
    socket.destroy()
  }
  await expect.poll(() => failures().length).toBe(5)
  expect(failures().map(({ level }) => level)).toEqual(Array(5).fill('debug'))
  await app.close()
})

test('a failure while the client waits is an error in the log', async () => {
  const { app, port, failures } = await serve()
  const answer = await fetch(`http://127.0.0.1:${port}/bug`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(500)
  expect(failures().map(({ level }) => level)).toEqual(['error'])
  await app.close()
})
