import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  appliedChanges,
  createNotes,
  differences,
  openDevice,
  openFaultyLink,
  openHoldfast,
  type FaultyLink,
  type Holdfast,
  type TestDevice,
} from '@holdfast/test-support'

/*
 * A device that was offline for long has a long queue. It is uploaded in order, in few requests that no limit refuses, each transaction evaluated
 * on its own, even if the connection breaks.
 */

/** At night 10,000. */
const TRANSACTIONS = Number(process.env['HOLDFAST_QUEUE'] ?? 400)
/** Postgres refuses one transaction in this many. */
const REFUSED_EVERY = TRANSACTIONS / 10

let holdfast: Holdfast
let link: FaultyLink
let phone: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
  link = await openFaultyLink(holdfast.url)
  phone = await openDevice({ ...holdfast, url: link.url }, { email: 'mina.kaya@northline.example' })
})

afterAll(async () => {
  await phone?.[Symbol.asyncDispose]()
  await link?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

test(`${TRANSACTIONS} queued transactions arrive once and in order over a breaking connection, and refused ones are kept`, async () => {
  await phone.goOffline()
  const marker = (n: number): string => `queue/${String(n).padStart(5, '0')}`
  for (let n = 0; n < TRANSACTIONS; n++) {
    const amount = n % REFUSED_EVERY === REFUSED_EVERY - 1 ? -1 : n
    await phone.database.execute(
      'insert into notes (id, owner_id, shared, marker, amount) values (uuid(), ?, 1, ?, ?)',
      [phone.local.userId, marker(n), amount],
    )
  }
  expect((await phone.local.countUnsent()).waiting).toBe(TRANSACTIONS)
  link.breakRequests({ head: 'POST /sync/v1/upload', at: 'answer', count: 2 })
  phone.goOnline()
  await vi.waitFor(async () => expect((await phone.local.countUnsent()).waiting).toBe(0), {
    timeout: 600_000,
    interval: 250,
  })
  const refused = Math.floor(TRANSACTIONS / REFUSED_EVERY)
  expect(await phone.local.countUnsent()).toEqual({ waiting: 0, attention: refused, files: 0 })
  const expected = Array.from({ length: TRANSACTIONS }, (_, n) => n)
    .filter((n) => n % REFUSED_EVERY !== REFUSED_EVERY - 1)
    .map(marker)
  expect((await appliedChanges(holdfast)).map((change) => change.marker)).toEqual(expected)
  for (const { id } of await phone.local.rejected.list()) await phone.local.rejected.discard(id)
  await phone.settle()
  expect(await differences(phone, ['notes'])).toEqual([])
}, 900_000)

test('transactions above the request limit are split into several requests, and a single one above it is kept for the user', async () => {
  await phone.goOffline()
  const insert = 'insert into notes (id, owner_id, shared, marker, body) values (uuid(), ?, 1, ?, ?)'
  const long = 'x'.repeat(700_000)
  for (let n = 0; n < 8; n++) await phone.database.execute(insert, [phone.local.userId, `long/${n}`, long])
  await phone.database.writeTransaction(async (tx) => {
    for (let n = 0; n < 7; n++) await tx.execute(insert, [phone.local.userId, 'too long', long])
  })
  await phone.database.execute(insert, [phone.local.userId, 'long/8', 'short'])
  phone.goOnline()
  await vi.waitFor(
    async () => expect(await phone.local.countUnsent()).toEqual({ waiting: 0, attention: 1, files: 0 }),
    {
      timeout: 60_000,
      interval: 250,
    },
  )
  const arrived = await holdfast.admin.query(
    sql`select marker from public.notes where marker like '%long%' order by marker`,
  )
  expect(arrived.map((row) => (row as { marker: string }).marker)).toEqual(
    Array.from({ length: 9 }, (_, n) => `long/${n}`),
  )
  expect(await phone.local.rejected.list()).toMatchObject([{ verdict: { status: 'unexpected', httpStatus: 413 } }])
})
