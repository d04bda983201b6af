import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Holdfast } from '@holdfast/test-support'
import { insertItems } from './items.ts'
import { processorFigures, startProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { FIRST_SYNC, published } from './published.ts'
import { median, type Figure } from './report.ts'
import { openStream } from './stream-client.ts'
import { mintToken } from './tokens.ts'

const REPETITIONS = 3

async function syncOnce(holdfast: Holdfast, owner: string, rows: number): Promise<number> {
  const began = performance.now()
  const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, owner), randomUUID())
  await client.nextComplete()
  const ms = performance.now() - began
  client.close()
  if (client.operations !== rows) throw new Error(`${client.operations} operations instead of ${rows}`)
  return rows / (ms / 1000)
}

/** The reference: the same rows read from the table by the driver, without policies and sync. */
async function driverOnce(holdfast: Holdfast, owner: string, rows: number): Promise<number> {
  const client = new pg.Client({ connectionString: holdfast.databaseUrl })
  await client.connect()
  const began = performance.now()
  const result = await client.query('select * from public.items where owner_id = $1', [owner])
  const ms = performance.now() - began
  await client.end()
  if (result.rows.length !== rows) throw new Error(`${result.rows.length} rows instead of ${rows}`)
  return rows / (ms / 1000)
}

/** Waits until the replicator has logged the rows, that is, until the owner's stream delivers them. */
async function waitUntilFollowed(holdfast: Holdfast, owner: string, rows: number): Promise<void> {
  const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, owner), randomUUID())
  while (client.operations < rows) await client.nextComplete()
  client.close()
}

/** The given number of new devices of one user download the same rows at the same time. */
async function syncTogether(holdfast: Holdfast, owner: string, rows: number, devices: number): Promise<number> {
  const began = performance.now()
  await Promise.all(Array.from({ length: devices }, () => syncOnce(holdfast, owner, rows)))
  return (devices * rows) / ((performance.now() - began) / 1000)
}

/** One new device downloads everything its user may have; then `devices` devices of one user do so at the same time. */
export async function benchFirstSync(
  holdfast: Holdfast,
  sizes: readonly number[],
  together: readonly number[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const rows of sizes) {
    const owner = randomUUID()
    await insertItems(holdfast.admin, owner, rows)
    const began = performance.now()
    await waitUntilFollowed(holdfast, owner, rows)
    const followed = rows / ((performance.now() - began) / 1000)
    const driver: number[] = []
    const sync: number[] = []
    const used: (ProcessorTime | undefined)[] = []
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      driver.push(await driverOnce(holdfast, owner, rows))
      const meter = await startProcessorMeter(holdfast)
      sync.push(await syncOnce(holdfast, owner, rows))
      used.push(await meter.take())
    }
    figures.push(
      {
        name: `first sync of ${rows} rows, one device`,
        value: median(sync),
        unit: 'rows/s',
        reference: { name: 'the driver selecting the same rows', value: median(driver) },
        ...published(FIRST_SYNC[rows]),
      },
      ...processorFigures(`first sync of ${rows} rows, one device`, 'row', rows, used),
      { name: `commit of ${rows} rows in one transaction → on the device`, value: followed, unit: 'rows/s' },
    )
    for (const devices of together) {
      figures.push({
        name: `first sync of the same ${rows} rows, ${devices} devices of one person`,
        value: await syncTogether(holdfast, owner, rows, devices),
        unit: 'rows/s',
      })
    }
  }
  return figures
}
