import { randomUUID } from 'node:crypto'
import type { Holdfast } from '@holdfast/test-support'
import { WRITE_CHECKPOINT, published } from './published.ts'
import { percentile, type Figure } from './report.ts'
import { openStream } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** A device requests a write checkpoint although nothing was written: time from the request to the checkpoint that includes it. */
export async function benchWriteCheckpoint(holdfast: Holdfast, times: number): Promise<Figure[]> {
  const token = mintToken(holdfast.jwtSecret, randomUUID())
  const device = randomUUID()
  const client = await openStream(holdfast.url, token, device)
  await client.nextComplete()
  const delays: number[] = []
  for (let time = 0; time < times; time++) {
    const passed = client.nextComplete()
    const began = performance.now()
    const answer = await fetch(`${holdfast.url}/write-checkpoint2.json?client_id=${device}`, {
      headers: { authorization: `Token ${token}` },
    })
    if (!answer.ok) throw new Error(`the write checkpoint was answered with ${answer.status}`)
    await answer.text()
    await passed
    delays.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  client.close()
  return [0.5, 0.95, 0.99].map((share) => ({
    name: `write checkpoint without a write, p${share * 100}`,
    value: percentile(delays, share),
    unit: 'ms',
    ...published(WRITE_CHECKPOINT[share]),
  }))
}
