import { expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { createPool, runAs, sql } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { readAppSettings } from '../src/config/app-settings.ts'

test('every request has the settings as they were given, also after one that set them otherwise; a role comes before them', async () => {
  await using database = await openTestDatabase({ migrations: [authMigrations] })
  const value = ` it's \\ "fine", $1 — 50%\\ `
  await using requests = createPool({
    url: database.requestUrl,
    applicationName: 'test requests',
    connectionsMax: 1,
    resetAfterTransaction: true,
    settings: readAppSettings({ 'app.settings.words': value, 'app.tenant': 'a' }),
    roleSettings: (role): Readonly<Record<string, string>> => (role === 'service_role' ? { 'app.tenant': 'b' } : {}),
  })
  const read = (role: string, statement = sql`select`): Promise<unknown> =>
    runAs(requests, { role, claims: { role } }, async (tx) => {
      await tx.query(statement)
      return await tx.query(
        sql`select current_setting('app.settings.words') as words, current_setting('app.tenant') as tenant`,
      )
    })
  expect(await read('anon')).toEqual([{ words: value, tenant: 'a' }])
  expect(await read('anon', sql`select set_config('app.tenant', 'c', false)`)).toEqual([{ words: value, tenant: 'c' }])
  expect(await read('authenticated')).toEqual([{ words: value, tenant: 'a' }])
  expect(await read('service_role')).toEqual([{ words: value, tenant: 'b' }])
})
