import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { scheduleMigrations } from '../../src/migrations.ts'

// What schedules mean, at times that the tests name.

let db: TestDatabase
let project: Pool

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [scheduleMigrations] })
  project = createPool({ url: db.projectUrl, applicationName: 'test project', connectionsMax: 1 })
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

describe('schedules', () => {
  const dueAt = async (text: string, at: string): Promise<boolean | null> => {
    const [row] = await db.pool.query<{ due: boolean | null }>(
      sql`select cron.holdfast_matches(cron.holdfast_parse(${text}), ${at}::timestamp) as due`,
    )
    return row?.due ?? null
  }

  // 2026-11-23 is a Monday, 2028 has a 29th of February.
  test.each([
    ['* * * * *', '2026-11-23 04:05', true],
    ['5 4 * * *', '2026-11-23 04:05', true],
    ['5 4 * * *', '2026-11-23 04:06', false],
    ['*/5 * * * *', '2026-11-23 04:55', true],
    ['*/5 * * * *', '2026-11-23 04:56', false],
    ['10-20/5 * * * *', '2026-11-23 04:15', true],
    ['10-20/5 * * * *', '2026-11-23 04:05', false],
    ['1,2,30 3,4 * * *', '2026-11-23 04:30', true],
    ['0 0 * * mon-FRI', '2026-11-23 00:00', true],
    ['0 0 * * 2-5', '2026-11-23 00:00', false],
    ['0 0 * * 0', '2026-11-22 00:00', true],
    ['0 0 * * 7', '2026-11-22 00:00', true],
    ['0 0 * * sun', '2026-11-22 00:00', true],
    ['0 0 * Nov *', '2026-11-23 00:00', true],
    ['0 0 * jan,dec *', '2026-11-23 00:00', false],
    ['0 0 1 * mon', '2026-11-23 00:00', true],
    ['0 0 1 * mon', '2026-12-01 00:00', true],
    ['0 0 */2 * mon', '2026-11-22 00:00', false],
    ['0 0 */2 * mon', '2026-11-23 00:00', true],
    ['0 12 $ * *', '2026-11-30 12:00', true],
    ['0 12 $ * *', '2026-11-29 12:00', false],
    ['0 12 $ 2 *', '2028-02-28 12:00', false],
    ['0 12 $ 2 *', '2028-02-29 12:00', true],
    ['@hourly', '2026-11-23 07:00', true],
    ['@daily', '2026-11-23 00:00', true],
    ['@weekly', '2026-11-22 00:00', true],
    ['@weekly', '2026-11-23 00:00', false],
    ['@monthly', '2026-12-01 00:00', true],
    ['@yearly', '2027-01-01 00:00', true],
    ['  5\t4  *  * *  ', '2026-11-23 04:05', true],
    ['0 4 * * * *', '2026-11-23 04:00', true],
  ])('%s: %s is due: %s', async (text, at, due) => expect(await dueAt(text, at)).toBe(due))

  test.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '5/10 * * * *',
    '*/0 * * * *',
    '5-3 * * * *',
    'a * * * *',
    '* * * foo *',
    '0 seconds',
    '60 seconds',
    '@never',
    '* * $1 * *',
    `${'0'.repeat(1000)} * * * *`,
  ])('%j is refused in the words of pg_cron', async (text) => {
    await expect(project.query(sql`select cron.schedule(${text}, 'select 1')::text as id`)).rejects.toMatchObject({
      code: '22023',
      message: `invalid schedule: ${text}`,
    })
  })

  test.each(['1 second', '59 seconds', ' 10SECONDS'])('%j is an interval', async (text) => {
    expect(await project.query(sql`select cron.schedule(${text}, 'select 1') > 0 as scheduled`)).toEqual([
      { scheduled: true },
    ])
  })

  const dueSince = async (text: string, minutes: number): Promise<number | undefined> => {
    const [row] = await db.pool.query<{ due: number }>(
      sql`select cron.holdfast_due(cron.holdfast_parse(${text}), ${'2026-11-23 04:30Z'}::timestamptz - make_interval(mins => ${minutes}::int), ${'2026-11-23 04:30Z'}) as due`,
    )
    return row?.due
  }

  test('minutes that were missed are made up for as cron does when a clock has jumped', async () => {
    expect(await dueSince('* * * * *', 0)).toBe(0)
    expect(await dueSince('* * * * *', 5)).toBe(5)
    expect(await dueSince('* * * * *', 6)).toBe(1)
    expect(await dueSince('0 4 * * *', 31)).toBe(1)
    expect(await dueSince('0,15 4 * * *', 180)).toBe(2)
    expect(await dueSince('0 4 * * *', 181)).toBe(0)
    expect(await dueSince('30 4 * * *', 10_000)).toBe(1)
    expect(await dueSince('* * * * *', -1)).toBe(0)
  })
})
