import { expect, test } from 'vitest'
import { openFaultyLink, openTestDatabase } from '@holdfast/test-support'
import { openWatchedClient } from '../../src/index.ts'

test('a statement fails when the server has been silent, and not because it takes long', async () => {
  await using database = await openTestDatabase()
  await using link = await openFaultyLink(database.url)
  const through = new URL(database.url)
  through.port = new URL(link.url).port
  await using watched = await openWatchedClient(through.href, 'test of silence', 5_000)
  // Far beyond the timeout: the server answers the second connection meanwhile.
  expect((await watched.client.query('select pg_sleep(6)')).rowCount).toBe(1)
  link.stall()
  await expect(watched.client.query('select 1')).rejects.toThrow('Postgres has been silent for 5 s')
})
