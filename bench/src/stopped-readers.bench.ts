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

/**
 * Latency of writes to one device: alone; while rows of another user change too; while devices of that user start to download and stop reading; and when the
 * server can send those devices nothing more.
 */
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
  const aloneChanging = await measure(big)
  const stopped = await Promise.all(
    Array.from({ length: readers }, async () => {
      const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, big), randomUUID())
      client.pause()
      return client
    }),
  )
  const coming = await measure()
  await untilIdle(holdfast)
  const beside = await measure()
  const changing = await measure(big)
  for (const client of [...stopped, live]) client.close()
  const others = `${readers} readers`
  return [
    ...figures('write → device', alone),
    ...figures('write → device, a row of another person before each', aloneChanging),
    ...figures(`write → device while ${others} begin to download and stop`, coming, alone),
    ...figures(`write → device beside ${others} that stopped`, beside, alone),
    ...figures(`write → device beside ${others} that stopped, a row of theirs before each`, changing, aloneChanging),
  ]
}

function figures(name: string, { delays, used }: Measured, before?: Measured): Figure[] {
  return [
    ...[0.5, 0.99].map((share) => ({
      name: `${name}, p${share * 100}`,
      value: percentile(delays, share),
      unit: 'ms',
      ...(before && { reference: { name: 'without them', value: percentile(before.delays, share) } }),
    })),
    ...processorFigures(name, 'write', WRITES, [used]),
  ]
}

const LOOK_MS = 500
const IDLE_SHARE = 0.1
const PATIENCE_MS = 30_000

/** Waits until the server is nearly idle, because the connections of the devices that do not read are full. */
async function untilIdle(holdfast: Holdfast): Promise<void> {
  const meter = await startProcessorMeter(holdfast)
  const deadline = performance.now() + PATIENCE_MS
  for (let used: ProcessorTime | undefined; performance.now() < deadline; used = await meter.take()) {
    if (used && used.node < LOOK_MS * IDLE_SHARE) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

async function insertRow(holdfast: Holdfast, owner: string): Promise<void> {
  await holdfast.admin.execute(sql`
    insert into public.items (id, owner_id, title, n, created_at) values (gen_random_uuid(), ${owner}::uuid, 'Item', 1, now())`)
}
