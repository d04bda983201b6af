import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { parseSnapshot, sawTransaction } from '../../src/buckets/snapshot.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
})

afterAll(async () => {
  await db[Symbol.asyncDispose]()
})

/** The lowest 32-bit ids of each epoch are no transactions. */
const isNormal = (xid: bigint): boolean => xid % 2n ** 32n >= 3n

test('says of every transaction what pg_visible_in_snapshot says, in every epoch', async () => {
  const snapshots = fc
    .tuple(
      fc.oneof(fc.bigInt({ min: 3n, max: 2n ** 40n }), fc.bigInt({ min: 2n ** 33n - 60n, max: 2n ** 33n + 60n })),
      fc.uniqueArray(fc.nat(50), { maxLength: 8 }),
    )
    .map(([xmin, gaps]) => {
      const running = gaps
        .toSorted((left, right) => left - right)
        .map((gap) => xmin + BigInt(gap))
        .filter(isNormal)
      const end = (running.at(-1) ?? xmin) + 5n
      const xmax = isNormal(end) ? end : end + 5n
      return { text: `${running[0] ?? xmax}:${xmax}:${running.join(',')}`, xmax }
    })
  const cases = fc
    .sample(fc.tuple(snapshots, fc.integer({ min: -80, max: 20 })), 400)
    .map(([{ text, xmax }, offset]) => {
      const xid = xmax + BigInt(offset)
      return { text, xid: isNormal(xid) && xid > 0n ? xid : xmax }
    })
  const rows = await db.pool.query<{ visible: boolean }>(sql`
    select pg_visible_in_snapshot(xid::xid8, snapshot::pg_snapshot) as visible
      from unnest(${cases.map((one) => String(one.xid))}::text[], ${cases.map((one) => one.text)}::text[]) with ordinality u (xid, snapshot, n) order by n`)
  expect(cases.map((one) => sawTransaction(parseSnapshot(one.text), Number(one.xid % 2n ** 32n)))).toEqual(
    rows.map((row) => row.visible),
  )
})
