import { expect, test } from 'vitest'
import { openTestDatabase } from '@holdfast/test-support'
import { openStatementConnection, sql } from '../../src/index.ts'

test('a connection whose statements Postgres does not take is closed', async () => {
  await using database = await openTestDatabase()
  const opening = openStatementConnection({
    url: database.url,
    applicationName: 'test of statements',
    settings: {},
    connectTimeoutMs: 10_000,
    statements: { broken: { text: 'select from no_such_table', parameterTypes: ['text'] } },
    onLost: () => undefined,
  })
  await expect(opening).rejects.toThrow('no_such_table')
  await expect
    .poll(() =>
      database.pool.query(
        sql`select from pg_catalog.pg_stat_activity where application_name = 'test of statements' and datname = current_database()`,
      ),
    )
    .toEqual([])
})
