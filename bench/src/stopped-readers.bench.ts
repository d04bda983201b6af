import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { insertFor, propagate } from './many-devices.bench.ts'
import { processorFigures, startProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { percentile, type Figure } from './report.ts'
import { sized } from './size.ts'
import { openStream } from './stream-client.ts'
import { mintToken } from './tokens.ts'

const WRITES = sized(200)
const PAUSE_MS = 10

interface Measured {
  readonly delays: readonly number[]
  readonly used: ProcessorTime | undefined
}

/** Writes to one device before and after others stop reading in the middle of a download; then rows of the others change too. */
export async function benchStoppedReaders(holdfast: Holdfast, readers: number, rows: number): Promise<Figure[]> {
  const [big = ''] = await insertFor(holdfast, 1, rows)
  const person = randomUUID()
  const live = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
  await live.nextComplete()
  const measure = async (alsoTo?: string): Promise<Measured> => {
    const delays: number[] = []
    const meter = await startProcessorMeter(holdfast)
    for (let write = 0; write < WRITES; write++) {
      if (alsoTo !== undefined) await insertRow(holdfast, alsoTo)
      delays.push(await propagate(holdfast, live, person))
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    return { delays, used: await meter.take() }
  }
  const alone = await measure()
  const stopped = await Promise.all(
    Array.from({ length: readers }, async () => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, big), randomUUID())
      client.pause()
      return client
    }),
  )
  const beside = await measure()
  const changing = await measure(big)
  for (const client of [...stopped, live]) client.close()
  const figures = (name: string, { delays, used }: Measured): Figure[] => [
    ...[0.5, 0.99].map((share) => ({
      name: `${name}, p${share * 100}`,
      value: percentile(delays, share),
      unit: 'ms',
      reference: { name: 'before they came', value: percentile(alone.delays, share) },
    })),
    ...processorFigures(name, 'write', WRITES, [used]),
  ]
  return [
    ...processorFigures('write → device', 'write', WRITES, [alone.used]),
    ...figures(`write → device beside ${readers} readers that stopped`, beside),
    ...figures(`write → device beside ${readers} readers that stopped, whose rows change too`, changing),
  ]
}

async function insertRow(holdfast: Holdfast, owner: string): Promise<void> {
  await holdfast.admin.execute(sql`
    insert into public.items (id, owner_id, title, n, created_at) values (gen_random_uuid(), ${owner}::uuid, 'Item', 1, now())`)
}
