import { randomUUID } from 'node:crypto'
import type { Holdfast } from '@holdfast/test-support'
import { residentBytes } from './items.ts'
import type { Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

const PARALLEL = 20

async function connectMany(holdfast: Holdfast, count: number): Promise<StreamClient[]> {
  const clients: StreamClient[] = []
  while (clients.length < count) {
    const group = Array.from({ length: Math.min(PARALLEL, count - clients.length) }, async () => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, randomUUID()), randomUUID())
      await client.nextComplete()
      return client
    })
    clients.push(...(await Promise.all(group)))
  }
  return clients
}

/** What one connected device that has nothing to do costs the server's process. */
export async function benchIdle(holdfast: Holdfast, devices: number): Promise<Figure[]> {
  // A first round pays for what is paid once: connections to Postgres, compiled code.
  for (const client of await connectMany(holdfast, 100)) client.close()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const before = await residentBytes(holdfast)
  const began = performance.now()
  const clients = await connectMany(holdfast, devices)
  const connectedMs = performance.now() - began
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const after = await residentBytes(holdfast)
  for (const client of clients) client.close()
  return [
    { name: `memory per idle device (${devices} devices)`, value: (after - before) / devices / 1024, unit: 'KB' },
    { name: `connecting ${devices} devices to their first checkpoint`, value: connectedMs, unit: 'ms' },
  ]
}
