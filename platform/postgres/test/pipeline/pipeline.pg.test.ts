import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { isConnectionLoss } from '../../src/connection/sqlstate.ts'
import type { SegmentAnswer } from '../../src/pipeline/exchange.ts'
import { runPipeline, type PipelineStep } from '../../src/pipeline/pipeline.ts'
import { Utf8 } from '../../src/wire/message-writer.ts'

const OPTIONS = { timeoutMs: 0, rowBytesMax: 10_000_000 }

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
  await db.pool.withClient((client) =>
    client.query('create table kept (id int primary key deferrable initially deferred)'),
  )
})

afterAll(() => db[Symbol.asyncDispose]())

const step = (text: string, ...values: unknown[]): PipelineStep => ({ text, values })
const keyed = (text: string, ...values: unknown[]): PipelineStep => ({ text, values, key: text })

function run(...segments: PipelineStep[][]): Promise<readonly SegmentAnswer[]> {
  return db.pool.withClient((client) => runPipeline(client, segments, OPTIONS))
}

function texts(answer: SegmentAnswer | undefined): (string | undefined)[] | undefined {
  return answer?.steps.at(-1)?.rows[0]?.map((value) => value?.toString())
}

async function kept(): Promise<number[]> {
  return db.pool.withClient(async (client) =>
    (await client.query('select id from kept order by id')).rows.map(({ id }) => id as number),
  )
}

describe('a pipeline', () => {
  test.each([
    ['text', 'ä€🐘', 'ä€🐘'],
    ['text', '', ''],
    ['text', null, undefined],
    ['text', new Utf8(Buffer.from('ü')), 'ü'],
    ['int', 7, '7'],
    ['bytea', Buffer.from([0, 255]), String.raw`\x00ff`],
    ['text[]', ['a"b', String.raw`c\d`, null, ''], String.raw`{"a\"b","c\\d",NULL,""}`],
    ['int[]', [[1], [2]], '{{1},{2}}'],
    ['jsonb', { a: [1] }, '{"a": [1]}'],
  ])('carries a %s: %j', async (type, value, expected) => {
    const [answer] = await run([step(`select $1::${type} as value`, value)])
    expect(answer).toMatchObject({ error: undefined, status: 'I' })
    expect(texts(answer)).toEqual([expected])
    expect(answer?.steps[0]?.columns[0]?.name).toBe('value')
  })

  test('carries large values among small ones, in several statements', async () => {
    const large = (fill: string): Utf8 => new Utf8(Buffer.alloc(100_000, fill))
    const count = `select length($1::text), $2::text, length($3::text), length($4::text)`
    const [answer] = await run([
      step(count, large('a'), 'b', large('ü'), 'x'.repeat(50_000)),
      step(count, 'a', 'c', large('d'), null),
    ])
    expect(answer?.steps.map(({ rows }) => rows[0]?.map((value) => value?.toString()))).toEqual([
      ['100000', 'b', '50000', '50000'],
      ['1', 'c', '100000', undefined],
    ])
  })

  test('is one transaction per segment, committed by its end', async () => {
    const [first, second] = await run(
      [step('insert into kept values (1)'), step('insert into kept values (2)')],
      [step('select count(*) from kept')],
    )
    expect([first?.status, texts(second)]).toEqual(['I', ['2']])
    expect(await kept()).toEqual([1, 2])
  })

  test('keeps nothing of a segment that fails, also when it fails at its end, and runs the next one', async () => {
    for (const failing of [step('select 1/0'), step('insert into kept values (1)'), step('no sql')]) {
      const [first, second] = await run(
        [step('insert into kept values (3)'), failing, step('select 1')],
        [step('select 5')],
      )
      expect(first?.error).toMatchObject({ severity: 'ERROR', code: expect.stringMatching(/^(22012|23505|42601)$/) })
      expect([first?.status, second?.error, texts(second)]).toEqual(['I', undefined, ['5']])
    }
    expect(await kept()).not.toContain(3)
  })

  test('prepares a statement once, and says its columns each time', async () => {
    await db.pool.withClient(async (client) => {
      for (let round = 0; round < 3; round++) {
        const [answer] = await runPipeline(client, [[keyed('select $1::int + 1 as more', round)]], OPTIONS)
        expect(texts(answer)).toEqual([String(round + 1)])
        expect(answer?.steps[0]?.columns).toEqual([{ name: 'more', typeOid: 23 }])
      }
      const { rows } = await client.query(
        `select count(*)::int as count from pg_prepared_statements where statement like '%as more'`,
      )
      expect(rows).toEqual([{ count: 1 }])
    })
  })

  test('closes the statements that were not used for longest, and goes on with them', async () => {
    await db.pool.withClient(async (client) => {
      for (let round = 0; round < 2; round++) {
        for (let number = 0; number < 300; number++) {
          const [answer] = await runPipeline(client, [[keyed(`select ${number}`)]], OPTIONS)
          expect(texts(answer)).toEqual([String(number)])
        }
      }
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from pg_prepared_statements',
      )
      expect(rows[0]?.count).toBeLessThanOrEqual(257)
    })
  })

  test('keeps few statements where they are long, and each of them once', async () => {
    await db.pool.withClient(async (client) => {
      for (let number = 0; number < 60; number++) {
        const long = keyed(`select ${number} /* ${'x'.repeat(40_000)} */`)
        const answers = await runPipeline(client, [[long], [long]], OPTIONS)
        expect(answers.map(texts)).toEqual([[String(number)], [String(number)]])
      }
      const { rows } = await client.query<{ count: number; texts: number }>(
        `select count(*)::int as count, count(distinct statement)::int as texts
           from pg_prepared_statements where statement like '%xxx%'`,
      )
      // Evicted statements are closed with the next exchange.
      expect(rows[0]?.count).toBeLessThanOrEqual(15)
      expect(rows[0]?.texts).toBeGreaterThanOrEqual(12)
    })
  })

  test('leaves the connection to the driver in between, notices and all', async () => {
    await db.pool.withClient(async (client) => {
      for (let round = 0; round < 3; round++) {
        const notice = step(
          `do $$ begin raise notice 'hello'; perform set_config('timezone', 'Asia/Tokyo', false); end $$`,
        )
        await runPipeline(client, [[notice]], OPTIONS)
        expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      }
      await client.query('reset all')
    })
  })

  test('reads large values in many pieces, and past those that are too large', async () => {
    await db.pool.withClient(async (client) => {
      const large = step(`select repeat('x', 5000000) as value`)
      const [whole] = await runPipeline(client, [[large]], OPTIONS)
      expect(whole?.steps[0]?.rows[0]?.[0]?.length).toBe(5_000_000)
      const [cut, next] = await runPipeline(client, [[large], [step('select 1')]], { ...OPTIONS, rowBytesMax: 1000 })
      expect(cut?.error?.name).toBe('RowTooLarge')
      expect(texts(next)).toEqual(['1'])
    })
  })

  test('gives up a connection that does not answer in time or breaks', async () => {
    const slow = [[step('select pg_sleep(20)')]]
    const end = (): Promise<number | null> =>
      db.pool.withClient(async (other) => {
        const { rowCount } = await other.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(600)%' and pid <> pg_backend_pid()`,
        )
        return rowCount
      })
    const late = db.pool.withClient((client) => runPipeline(client, slow, { ...OPTIONS, timeoutMs: 100 }))
    expect(isConnectionLoss(await late.catch((error: unknown) => error))).toBe(true)
    const broken = db.pool.withClient(async (client) => {
      const answer = runPipeline(client, [[step('select pg_sleep(600)')]], OPTIONS)
      answer.catch(() => undefined) // evaluated below
      await expect.poll(end).toBe(1)
      return answer
    })
    expect(isConnectionLoss(await broken.catch((error: unknown) => error))).toBe(true)
    expect(texts((await run([step('select 1')]))[0])).toEqual(['1'])
  })
})
