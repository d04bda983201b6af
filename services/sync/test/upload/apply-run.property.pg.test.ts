import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UploadRequest, UploadResponse } from '@holdfast/protocol'
import { DEPENDENT_SCHEMA, DEPENDENT_TABLES, dependentRows, emptyTables, operationOn } from './dependent-tables.ts'
import { openUploadWorld, type Operation, type UploadWorld } from './upload-world.ts'

/*
 * Operations that go to Postgres in one write are judged exactly as those that go one by one: the same verdicts with the same reasons, the same rows, the same
 * side effects. Tables here are those where merging rows into one statement would not do: policies that count rows of the same table, keys into the same
 * table, triggers per row and per statement, constraints that wait, guards, and tables that may be written but not read.
 */

const operation = fc.constantFrom(...DEPENDENT_TABLES).chain(operationOn)
/** A run at night is longer. */
const TIMEOUT_MS = process.env['HOLDFAST_NIGHT'] ? 1_800_000 : 60_000

const transactions = fc.array(fc.array(operation, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 })

let together: UploadWorld
let oneByOne: UploadWorld

beforeAll(async () => {
  together = await openUploadWorld()
  oneByOne = await openUploadWorld({ context: { runOperationsMax: 0 } })
  for (const { database } of [together, oneByOne])
    await database.pool.withClient((client) => client.query(DEPENDENT_SCHEMA))
})

afterAll(async () => {
  await together?.[Symbol.asyncDispose]()
  await oneByOne?.[Symbol.asyncDispose]()
})

describe('operations in one write', () => {
  test(
    'are judged as one by one',
    async () => {
      await fc.assert(
        fc.asyncProperty(transactions, async (all) => {
          await Promise.all([emptyTables(together), emptyTables(oneByOne)])
          for (const operations of all) {
            const request = together.transaction(...operations)
            const answers = await Promise.all([together.upload(request), oneByOne.upload(request)])
            expect(answers[0]).toEqual(answers[1])
          }
          expect(await dependentRows(together)).toEqual(await dependentRows(oneByOne))
        }),
        { numRuns: runsOf(6, { variable: 'HOLDFAST_TOGETHER_RUNS' }) },
      )
    },
    TIMEOUT_MS,
  )

  test('may be a thousand, and a refusal among them names its operation', async () => {
    await emptyTables(together)
    const rows = (from: number, count: number): Operation[] =>
      Array.from({ length: count }, (_, index) => ({
        op: 'PUT' as const,
        type: 'tree',
        id: `row ${from + index}`,
        data: { label: 'x' },
      }))
    const broken = together.transaction(
      ...rows(0, 600),
      { op: 'PATCH', type: 'tree', id: 'nobody', data: { label: 'y' } },
      ...rows(600, 600),
    )
    const refused = await together.upload(broken)
    expect(
      refused.verdicts.flatMap(({ status }, index) => (status === 'not_reached' ? [] : [[index, status]])),
    ).toEqual([[600, 'no_row']])
    const answer: UploadResponse = await together.upload(together.transaction(...rows(0, 1_200)))
    expect(answer.status).toBe('applied')
    const rowCount = await together.database.pool.withClient(
      async (client) => (await client.query(`select count(*)::int as n from public.tree`)).rows as unknown,
    )
    expect(rowCount).toEqual([{ n: 1_200 }])
  })
})

test('statements that were prepared for a table are not used for another shape of it', async () => {
  const { database } = together
  await emptyTables(together)
  const put = (from: number): UploadRequest =>
    together.transaction(
      ...Array.from({ length: 10 }, (_, index) => ({
        op: 'PUT' as const,
        type: 'dropbox',
        id: `${from + index}`,
        data: { label: '007' },
      })),
    )
  const applied = { status: 'applied' }
  expect(await together.upload(put(0))).toMatchObject(applied)
  await database.pool.withClient((client) =>
    client.query(`alter table public.dropbox alter column label type int using label::int`),
  )
  expect(await together.upload(put(10))).toMatchObject(applied)
  await database.pool.withClient((client) => client.query(`alter table public.dropbox alter column label type text`))
  expect(await together.upload(put(20))).toMatchObject(applied)
  const labels = await database.pool.withClient(
    async (client) =>
      (await client.query(`select label, count(*)::int as n from public.dropbox group by label order by 1`))
        .rows as unknown,
  )
  expect(labels).toEqual([
    { label: '007', n: 10 },
    { label: '7', n: 20 },
  ])
})
