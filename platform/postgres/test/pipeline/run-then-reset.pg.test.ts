import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { createPool } from '../../src/connection/pool.ts'
import type { PipelineStep } from '../../src/pipeline/pipeline.ts'
import { RESET_SESSION, runThenReset } from '../../src/pipeline/run-then-reset.ts'
import { openCuttingLine } from './cut-after-answer.ts'

const OPTIONS = { timeoutMs: 0, rowBytesMax: 10_000_000 }

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase()
  await db.pool.withClient((client) => client.query('create table kept (id int primary key)'))
})

afterAll(() => db[Symbol.asyncDispose]())

const step = (text: string): PipelineStep => ({ text, values: [] })

async function kept(): Promise<unknown[]> {
  return db.pool.withClient(async (client) => (await client.query('select id from kept order by id')).rows)
}

describe('a transaction whose connection is reset after it', () => {
  test('leaves it clean, whether it succeeds or fails', async () => {
    await db.pool.withClient(async (client) => {
      const done = await runThenReset(client, [[step(`set work_mem = '99MB'`)], RESET_SESSION], OPTIONS)
      expect(done).toMatchObject({ answer: { error: undefined, status: 'I' }, isClean: true })
      expect((await client.query('show work_mem')).rows).not.toEqual([{ work_mem: '99MB' }])
      const failed = await runThenReset(client, [[step('select 1/0')], RESET_SESSION], OPTIONS)
      expect(failed).toMatchObject({ answer: { error: { code: '22012' } }, isClean: true })
    })
  })

  test('is answered when the reset fails, and the connection is not to be used again', async () => {
    await db.pool.withClient(async (client) => {
      const ended = await runThenReset(client, [[step('insert into kept values (1)')], [step('select 1/0')]], OPTIONS)
      expect(ended).toMatchObject({ answer: { error: undefined, steps: [{ affected: 1 }] }, isClean: false })
    })
    expect(await kept()).toContainEqual({ id: 1 })
  })

  test('is answered when the connection breaks after the commit', async () => {
    await using line = await openCuttingLine(db.url)
    await using pool = createPool({ url: line.url, applicationName: 'test', connectionsMax: 1 })
    await pool.withClient(async (client) => {
      line.cutAfterNextAnswer()
      const ended = await runThenReset(client, [[step('insert into kept values (2)')], RESET_SESSION], OPTIONS)
      expect(ended).toMatchObject({ answer: { error: undefined, steps: [{ affected: 1 }] }, isClean: false })
    })
    expect(await kept()).toContainEqual({ id: 2 })
  })

  test('is not clean while it has not ended', async () => {
    await db.pool.withClient(async (client) => {
      expect(await runThenReset(client, [[step('begin')]], OPTIONS)).toMatchObject({ isClean: false })
      expect(await runThenReset(client, [[step('rollback')], RESET_SESSION], OPTIONS)).toMatchObject({ isClean: true })
    })
  })
})
