import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { syncMigrations } from '../../src/sync.ts'
import { moveDoc } from '../../src/encode/op-doc.ts'
import { arrayJson } from '../../src/encode/row-json.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [syncMigrations] })
})

afterAll(async () => {
  await db[Symbol.asyncDispose]()
})

test('sync.move_doc makes the same bytes as the encoder', async () => {
  const cases = fc.sample(
    fc.tuple(
      fc.bigInt({ min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER) }),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    ),
    500,
  )
  const rows = await db.pool.query<{ doc: Buffer }>(sql`
    select sync.move_doc(id, checksum) as doc from unnest(${cases.map(([id]) => String(id))}::bigint[], ${cases.map(([, sum]) => sum)}::int[])
      with ordinality u (id, checksum, n) order by n`)
  expect(rows.map((row) => row.doc)).toEqual(cases.map(([id, sum]) => moveDoc(Number(id), sum)))
})

test.each([
  [
    'text[]',
    25,
    fc.array(
      fc.option(
        fc.oneof(
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
          fc.constantFrom('NULL', '', '{}', '"', '\\', ', '),
        ),
      ),
    ),
  ],
  ['int8[]', 20, fc.array(fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)))],
  ['uuid[]', 2950, fc.array(fc.option(fc.uuid()))],
  [
    'varchar[]',
    1043,
    fc.array(fc.array(fc.option(fc.constantFrom('a b', 'c"d', 'ü', '')), { minLength: 2, maxLength: 2 }), {
      minLength: 1,
    }),
  ],
] as const)('arrays of %s are what Postgres makes of them', async (type, elementOid, arbitrary) => {
  for (const value of fc.sample(arbitrary as fc.Arbitrary<readonly unknown[]>, 60)) {
    const [row] = await db.pool.query<{ literal: string; json: string }>(sql`
      select (${value}::text[]::${sql.trusted(type)})::text as literal, array_to_json(${value}::text[]::${sql.trusted(type)})::text as json`)
    const mine = arrayJson(row?.literal ?? '', elementOid)
    if (elementOid === 20) expect(mine).toBe(row?.json)
    else expect(JSON.parse(mine)).toEqual(JSON.parse(row?.json ?? ''))
  }
})

test('arrays of boxes, the one type with another separator', async () => {
  const [row] = await db.pool.query<{ literal: string; json: string }>(sql`
    select b::text as literal, array_to_json(b)::text as json from (select array[box '((0,0),(1,1))', null, box '((2,2),(3,3))'] as b) t`)
  expect(JSON.parse(arrayJson(row?.literal ?? '', 603))).toEqual(JSON.parse(row?.json ?? ''))
})
