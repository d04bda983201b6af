import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openFaultyLink, type FaultyLink, type Holdfast } from '@holdfast/test-support'
import { ANN, openApp, openNotesServer, run, type App } from './sync-app.ts'

/*
 * Slow links make progress: a device that reads steadily is never cut off, however slowly, and each connection that breaks has made some progress.
 * The unmodified SDK runs behind a proxy that reads only as fast as it forwards.
 */

/** At night, realistic links: 4 KB/s, and a large row at 20 KB/s. They take minutes. */
const AT_NIGHT = Number(process.env['HOLDFAST_SLOW_LINKS'] ?? 0) > 0

const ROWS = 150
const ROW_BYTES = 3_000

let holdfast: Holdfast
let link: FaultyLink

beforeAll(async () => {
  // Incompressible rows, and buckets that are compacted quickly.
  holdfast = await openNotesServer('', { args: ['--sync-compact-interval-s=1'] })
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await run(holdfast, 'delete from public.notes')
})

/** SQL for a text of this many bytes that compresses to no less than three quarters. */
const noise = (bytes: string): string =>
  `(select string_agg(encode(sha256((i::text || part || clock_timestamp())::bytea), 'base64'), '') from generate_series(1, ${bytes} / 44) part)`

async function addRows(rows: number, bytes: number): Promise<void> {
  await run(
    holdfast,
    `insert into public.notes (owner_id, title) select u.id, ${noise(String(bytes))} from auth.users u, generate_series(1, ${rows}) i where u.email = '${ANN.email}'`,
  )
}

/** Connects a device of Ann's through the link. */
async function openBehindLink(): Promise<App> {
  const app = await openApp(holdfast)
  await app.connect({ fetchCredentials: async () => ({ endpoint: link.url, token: await app.token() }) })
  return app
}

const countRows = async (app: App): Promise<number> =>
  (await app.database.get<{ count: number }>('select count(*) as count from notes')).count
/** Operations on the device, visible or not. */
const countKept = async (app: App): Promise<number> =>
  (await app.database.get<{ count: number }>('select count(*) as count from ps_oplog')).count

async function shows(app: App, rows: number, timeout: number): Promise<void> {
  await vi.waitFor(async () => expect(await countRows(app)).toBe(rows), { timeout, interval: 100 })
}

test('every connection makes progress, even if each one breaks after a tenth of the rows', async () => {
  await addRows(ROWS, ROW_BYTES)
  await using opened = await openFaultyLink(holdfast.url)
  link = opened
  link.cutAfter((ROWS * ROW_BYTES) / 10, 'down')
  await using app = await openBehindLink()
  await shows(app, ROWS, 50_000)
  expect(link.connections).toBeGreaterThan(10)
  expect(link.connections).toBeLessThan(60)
})

test('a compacted bucket makes progress too, and no row is sent twice', async () => {
  await addRows(ROWS, ROW_BYTES)
  await run(holdfast, `update public.notes set n = 1`)
  await vi.waitFor(
    async () => {
      const [bucket] = await holdfast.admin.withClient(
        async (client) =>
          (
            await client.query<{ floor: string }>('select max(floor) as floor from sync.buckets where count >= $1', [
              ROWS,
            ])
          ).rows,
      )
      expect(Number(bucket?.floor)).toBeGreaterThan(0)
    },
    { timeout: 60_000 },
  )
  await using opened = await openFaultyLink(holdfast.url)
  link = opened
  link.cutAfter((ROWS * ROW_BYTES) / 5, 'down')
  await using app = await openBehindLink()
  const kept: number[] = []
  await vi.waitFor(
    async () => {
      kept.push(await countKept(app))
      expect(await countRows(app)).toBe(ROWS)
    },
    { timeout: 50_000, interval: 50 },
  )
  expect(kept).toEqual(kept.toSorted((a, b) => a - b))
})

test('a row larger than the line limit arrives as one line', async () => {
  await addRows(1, 3_000_000)
  await using opened = await openFaultyLink(holdfast.url)
  link = opened
  link.limitRate(1_000_000, 'down')
  await using app = await openBehindLink()
  await shows(app, 1, 40_000)
})

test.runIf(AT_NIGHT)('a row of 3 MB at 20 KB/s', { timeout: 400_000 }, async () => {
  await addRows(1, 3_000_000)
  await using opened = await openFaultyLink(holdfast.url)
  link = opened
  link.limitRate(20_000, 'down')
  await using app = await openBehindLink()
  await shows(app, 1, 380_000)
  expect(link.connections).toBeLessThan(4)
})

test.runIf(AT_NIGHT)('5 MB at 4 KB/s over connections of 30 s', { timeout: 2_400_000 }, async () => {
  await addRows(1_000, 4_000)
  await using opened = await openFaultyLink(holdfast.url)
  link = opened
  link.limitRate(4_000, 'down')
  const cutting = setInterval(() => link.cut(), 30_000)
  try {
    await using app = await openBehindLink()
    await shows(app, 1_000, 2_300_000)
  } finally {
    clearInterval(cutting)
  }
})

test.runIf(AT_NIGHT)('5 MB at 6 KB/s over one connection', { timeout: 1_500_000 }, async () => {
  await addRows(1_000, 4_000)
  await using opened = await openFaultyLink(holdfast.url)
  link = opened
  link.limitRate(6_000, 'down')
  await using app = await openBehindLink()
  await shows(app, 1_000, 1_400_000)
  expect(link.connections).toBeLessThan(4)
})
