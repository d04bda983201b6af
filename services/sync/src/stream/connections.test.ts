import { expect, test, vi } from 'vitest'
import { createConnections, type Connection } from './connections.ts'

function fakeConnection(onLine: (line: object) => void): Connection {
  return {
    userId: 'user',
    clientId: crypto.randomUUID(),
    session: { isResting: true },
    sink: { control: async (line: object) => onLine(line) },
    expiresAtS: undefined,
    end: () => undefined,
  } as unknown as Connection
}

test('draining spreads the devices over other servers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'performance'] })
  try {
    using connections = createConnections(() => 0)
    let told = 0
    for (let device = 0; device < 300; device++) {
      const connection = fakeConnection((line) => {
        expect(line).toEqual({ token_expires_in: 10 })
        told++
        connections.delete(connection)
      })
      connections.add(connection)
    }
    const drained = connections.drain(1_000, 100)
    await vi.advanceTimersByTimeAsync(500)
    expect(told).toBeGreaterThan(40)
    expect(told).toBeLessThan(60)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(told).toBe(300)
    await drained
  } finally {
    vi.useRealTimers()
  }
})
