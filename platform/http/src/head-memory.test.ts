import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import { headsToCut } from './head-memory.ts'

describe('unfinished heads', () => {
  test('above the limit are cut, while other connections go on', { timeout: 10_000 }, async () => {
    await using app = createHttpServer({ logger: silentLogger, headMemoryBytesMax: 500_000 })
    app.get('/api', async () => 'ok')
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const idle = connect(port, '127.0.0.1')
    const sockets = await Promise.all(Array.from({ length: 8 }, () => halfSent(port)))
    let cut = 0
    const enough = Promise.withResolvers<void>()
    for (const socket of sockets) socket.once('close', () => void (++cut === 4 && enough.resolve()))
    await enough.promise
    expect((await fetch(`http://127.0.0.1:${port}/api`)).status).toBe(200)
    expect(idle.destroyed).toBe(false)
    for (const socket of [idle, ...sockets]) socket.destroy()
  })

  test('of the greediest address are cut first, and no more of them than needed', () => {
    const head = fc.record({ address: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 100 }) })
    fc.assert(
      fc.property(fc.array(head), fc.integer({ min: 1, max: 500 }), (heads, bytesMax) => {
        const sum = (of: readonly { bytes: number }[]): number => of.reduce((total, { bytes }) => total + bytes, 0)
        const cut = headsToCut(heads, bytesMax)
        expect(sum(heads) - sum(cut)).toBeLessThanOrEqual(bytesMax)
        const last = cut.at(-1)
        if (last) expect(sum(heads) - sum(cut) + last.bytes).toBeGreaterThan(bytesMax)
        // An address below its share loses nothing.
        for (const address of ['a', 'b', 'c']) {
          const own = heads.filter((one) => one.address === address)
          if (sum(own) <= bytesMax / 3) expect(cut.filter((one) => one.address === address)).toEqual([])
        }
      }),
    )
  })
})

async function halfSent(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET /api HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(120_000)}`)
  return socket
}
