import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, runsOf } from '@holdfast/test-support'
import { byteaArray } from '../../src/encode/bytea-array.ts'

test('Postgres reads the same values from an array in binary form, whatever they are', async () => {
  await using db = await openTestDatabase()
  const value = fc.option(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    { nil: undefined },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 20 }), async (values) => {
      const rows = await db.pool.query<{ value: Buffer | null }>(
        sql`select value from unnest(${byteaArray(values)}::bytea[]) with ordinality u (value, position) order by position`,
      )
      expect(rows.map((row) => row.value ?? undefined)).toEqual(values)
    }),
    { numRuns: runsOf(50) },
  )
})
