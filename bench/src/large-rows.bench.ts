import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { processorFigures, startProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { median, type Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

const REPETITIONS = 3
/** Characters of one hash as text. Rows consist of hashes because those do not compress. */
const HASH_CHARACTERS = 32

export interface LargeRows {
  readonly bytes: number
  /** Rows per user. */
  readonly rows: number
  readonly devices: number
}

/**
 * Measures transactions of large rows that arrive on a connected device, and then as many devices of different users downloading such rows at the same time.
 */
export async function benchLargeRows(holdfast: Holdfast, large: LargeRows): Promise<Figure[]> {
  return [...(await commitTransactions(holdfast, large)), ...(await downloadTogether(holdfast, large))]
}

async function commitTransactions(holdfast: Holdfast, large: LargeRows): Promise<Figure[]> {
  const owner = randomUUID()
  const client = await open(holdfast, owner)
  await client.nextComplete()
  const rates: number[] = []
  const used: (ProcessorTime | undefined)[] = []
  for (let repetition = 1; repetition <= REPETITIONS; repetition++) {
    await insertRows(holdfast, owner, large)
    // Postgres starts decoding a transaction when it is committed.
    const meter = await startProcessorMeter(holdfast)
    const began = performance.now()
    while (client.operations < large.rows * repetition) await client.nextComplete()
    rates.push(megabytes(large) / ((performance.now() - began) / 1000))
    used.push(await meter.take())
  }
  client.close()
  const name = `commit of ${large.rows} rows of ${large.bytes / 1000} KB → on a device that is connected`
  return [{ name, value: median(rates), unit: 'MB/s' }, ...processorFigures(name, 'MB', megabytes(large), used)]
}

async function downloadTogether(holdfast: Holdfast, large: LargeRows): Promise<Figure[]> {
  const people = Array.from({ length: large.devices }, () => randomUUID())
  for (const person of people) await insertRows(holdfast, person, large)
  const downloadAll = async (): Promise<unknown> =>
    Promise.all(
      people.map(async (person) => {
        const client = await open(holdfast, person)
        while (client.operations < large.rows) await client.nextComplete()
        client.close()
      }),
    )
  await downloadAll() // waits until the replicator has logged all of them
  const rates: number[] = []
  const used: (ProcessorTime | undefined)[] = []
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const meter = await startProcessorMeter(holdfast)
    const began = performance.now()
    await downloadAll()
    rates.push((megabytes(large) * large.devices) / ((performance.now() - began) / 1000))
    used.push(await meter.take())
  }
  const name = `first sync of ${large.rows} rows of ${large.bytes / 1000} KB each, ${large.devices} devices`
  return [
    { name, value: median(rates), unit: 'MB/s' },
    ...processorFigures(name, 'MB', megabytes(large) * large.devices, used),
  ]
}

const megabytes = ({ bytes, rows }: LargeRows): number => (bytes * rows) / 1e6

const open = (holdfast: Holdfast, owner: string): Promise<StreamClient> =>
  openStream(holdfast.url, mintToken(holdfast.jwtSecret, owner), randomUUID())

async function insertRows(holdfast: Holdfast, owner: string, { bytes, rows }: LargeRows): Promise<void> {
  const hashes = Math.ceil(bytes / HASH_CHARACTERS)
  await holdfast.admin.execute(sql`
    insert into public.items (id, owner_id, title, body, done, n, created_at)
    select gen_random_uuid(), ${owner}::uuid, 'Item number ' || g,
           (select string_agg(md5(h::text || random()), '') from generate_series(g, g + ${hashes}::int - 1) h),
           g % 3 = 0, g, now()
      from generate_series(1, ${rows}::int) g`)
}
