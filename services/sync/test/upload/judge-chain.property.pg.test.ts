import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, type PoolShare } from '@holdfast/postgres'
import type { UploadRequest, UploadResponse } from '@holdfast/protocol'
import { DEPENDENT_SCHEMA, DEPENDENT_TABLES, dependentRows, emptyTables, operationOn } from './dependent-tables.ts'
import { judgeBatch } from '../../src/upload/judge-batch.ts'
import { ALICE, caller, CLIENT, openUploadWorld, type UploadWorld } from './upload-world.ts'

/*
 * Transactions of a batch, which go to Postgres in chains, are judged exactly as those that are sent one by one: the same verdicts, rows, side effects and
 * records of what was judged. Among them are refused, conflicting and repeated ones, and tables with rules about the transaction itself.
 */

/** A run at night is longer. */
const TIMEOUT_MS = process.env['HOLDFAST_NIGHT'] ? 1_800_000 : 60_000

const operation = fc.constantFrom(...DEPENDENT_TABLES).chain(operationOn)
/** Many with one operation, as an import has. */
const transaction = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(operation) },
  { weight: 1, arbitrary: fc.array(operation, { minLength: 1, maxLength: 6 }) },
)
const batch = fc.record({
  transactions: fc.array(transaction, { minLength: 1, maxLength: 25 }),
  /** Transactions of earlier batches that are sent again before them. */
  repeated: fc.integer({ min: 0, max: 4 }),
  /** Another user changes guarded rows before the batch. */
  isEdited: fc.boolean(),
})

let chained: UploadWorld
let oneByOne: UploadWorld

beforeAll(async () => {
  chained = await openUploadWorld()
  oneByOne = await openUploadWorld({ context: { runOperationsMax: 0 } })
  for (const { database } of [chained, oneByOne])
    await database.pool.withClient((client) => client.query(DEPENDENT_SCHEMA))
})

afterAll(async () => {
  await chained?.[Symbol.asyncDispose]()
  await oneByOne?.[Symbol.asyncDispose]()
})

/** Sends batches until each transaction has a result. */
async function sendTogether(uploads: readonly UploadRequest[]): Promise<readonly UploadResponse[]> {
  const results: UploadResponse[] = []
  while (results.length < uploads.length) {
    const transactions = uploads.slice(results.length).map(({ position, operations }) => ({ position, operations }))
    const { status, body } = await chained.post({ client_id: CLIENT, transactions })
    expect(status).toBe(200)
    results.push(...(body as { results: UploadResponse[] }).results)
  }
  return results
}

async function sendOneByOne(uploads: readonly UploadRequest[]): Promise<readonly UploadResponse[]> {
  const results: UploadResponse[] = []
  for (const upload of uploads) results.push(await oneByOne.upload(upload))
  return results
}

const recordsOf = ({ database }: UploadWorld): Promise<unknown> =>
  database.pool.query(
    sql`select user_id, client_id, position, body_hash, status, verdicts from sync.uploads order by position`,
  )

describe('transactions of a batch', () => {
  test(
    'are judged as one by one',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), async (batches) => {
          await Promise.all([emptyTables(chained), emptyTables(oneByOne)])
          const sent: UploadRequest[] = []
          for (const { transactions, repeated, isEdited } of batches) {
            const uploads = transactions.map((operations) => chained.transaction(...operations))
            const again = [...(repeated > 0 ? sent.slice(-repeated) : []), ...uploads]
            if (isEdited)
              for (const { database } of [chained, oneByOne])
                await database.pool.execute(sql`update public.guarded set label = label || 'x'`)
            const answers = await Promise.all([sendTogether(again), sendOneByOne(again)])
            expect(answers[0]).toEqual(answers[1])
            sent.push(...uploads)
          }
          expect(await dependentRows(chained)).toEqual(await dependentRows(oneByOne))
          expect(await recordsOf(chained)).toEqual(await recordsOf(oneByOne))
        }),
        { numRuns: runsOf(12, { variable: 'HOLDFAST_CHAIN_RUNS' }) },
      )
    },
    TIMEOUT_MS,
  )

  test('are applied on one connection, the first by itself', async () => {
    await emptyTables(chained)
    const uploads = Array.from({ length: 100 }, (_, n) =>
      chained.transaction({ op: 'PUT', type: 'guarded', id: `row ${n}`, data: { label: 'a' } }),
    )
    const used = { transaction: 0, withClient: 0 }
    const { context } = chained
    const counting: PoolShare = {
      for(requester) {
        const connections = context.share.for(requester)
        return {
          ...connections,
          transaction: (body) => ((used.transaction += 1), connections.transaction(body)),
          withClient: (body) => ((used.withClient += 1), connections.withClient(body)),
        }
      },
    }
    // A clock that stands still: a chain ends after some time.
    const sender = { caller: caller(ALICE), signal: new AbortController().signal }
    const { results } = await judgeBatch({ ...context, share: counting, now: () => 0 }, sender, uploads)
    expect(results.filter(({ status }) => status === 'applied')).toHaveLength(100)
    expect(used).toEqual({ transaction: 1, withClient: 1 })
  })
})
