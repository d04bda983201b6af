import { expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { sql } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase } from '@holdfast/test-support'
import { startWorkspace } from '../src/workspaces/start-workspace.ts'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }

test('a workspace begins in the time zone of its owner, or in UTC for one that it cannot have', async () => {
  await using database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  const { pool } = database
  const owner = 'aaaaaaaa-0000-4000-8000-000000000001'
  await pool.execute(
    sql`insert into auth.users (id, email, email_confirmed_at) values (${owner}, 'olga@example.org', now())`,
  )
  for (const [timeZone, kept] of [
    ['Europe/Berlin', 'Europe/Berlin'],
    ['posix/Europe/Berlin', 'UTC'],
    ['Atlantis', 'UTC'],
    [undefined, 'UTC'],
  ] as const) {
    const id = await startWorkspace(pool, { name: 'Water', owner, isFirst: false, timeZone })
    expect(await pool.query(sql`select time_zone from holdfast.workspaces where id = ${id}`)).toEqual([
      { time_zone: kept },
    ])
    await pool.execute(sql`delete from holdfast.workspaces where id = ${id}`)
  }
})
