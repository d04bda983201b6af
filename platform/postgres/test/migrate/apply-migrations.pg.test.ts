import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger, type Logger } from '@holdfast/foundation'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { createPool, type Pool } from '../../src/connection/pool.ts'
import { runAs } from '../../src/connection/run-as.ts'
import { sql } from '../../src/sql/sql.ts'
import { applyMigrations } from '../../src/migrate/apply-migrations.ts'
import type { Migration, MigrationSource } from '../../src/migrate/migration.ts'
import { ensureRolePasswords } from '../../src/cluster/role-password.ts'

let db: TestDatabase
let folder: string
let source: MigrationSource

beforeEach(async () => {
  db = await openTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'holdfast-migrations-'))
  source = { name: 'test', directory: pathToFileURL(`${folder}/`) }
})

afterEach(async () => {
  await db[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const apply = (): Promise<readonly Migration[]> =>
  applyMigrations({ pool: db.pool, sources: [source], logger: silentLogger })

/** A pool of a process that stops after a statement, until its connection is lost. */
function stopping(pool: Pool, last: RegExp, onStopped: () => void): Pool {
  let isStopped = false
  return {
    ...pool,
    withClient: (body) =>
      pool.withClient((client) => {
        const query = client.query.bind(client) as (...args: readonly unknown[]) => Promise<unknown>
        const lost = new Promise((_resolve, reject) => client.once('error', reject))
        lost.catch(() => undefined)
        const stoppable = async (...args: readonly unknown[]): Promise<unknown> => {
          if (isStopped) return await lost
          const answer = await query(...args)
          isStopped = last.test(String(args[0]))
          if (isStopped) onStopped()
          return answer
        }
        return body(new Proxy(client, { get: (target, key) => (key === 'query' ? stoppable : bound(target, key)) }))
      }),
  }
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key)
  return typeof value === 'function' ? (value.bind(target) as unknown) : value
}

describe('applyMigrations', () => {
  test('applies each file once, in order', async () => {
    write('0002_fill.sql', 'insert into public.things values (1);')
    write('0001_things.sql', 'create table public.things (id int);')
    expect((await apply()).map(({ name }) => name)).toEqual(['0001_things', '0002_fill'])
    expect(await apply()).toEqual([])
    expect(await db.pool.query(sql`select id from public.things`)).toEqual([{ id: 1 }])
  })

  test('names the file and the line that failed and leaves nothing of it', async () => {
    write('0001_broken.sql', 'create table public.half (id int);\n\nselect wrong;\n')
    await expect(apply()).rejects.toMatchObject({
      code: 'migration_failed',
      message: 'The migration test/0001_broken failed, line 3: column "wrong" does not exist',
    })
    expect(await db.pool.query(sql`select to_regclass('public.half') as half`)).toEqual([{ half: null }])
    write('0001_broken.sql', 'create table public.whole (id int);')
    expect(await apply()).toHaveLength(1)
  })

  test('refuses a changed file and takes line ends of either kind', async () => {
    write('0001_things.sql', 'create table public.things (id int);\n')
    await apply()
    write('0001_things.sql', 'create table public.things (id int);\r\n')
    expect(await apply()).toEqual([])
    write('0001_things.sql', 'create table public.things (id bigint);\n')
    await expect(apply()).rejects.toMatchObject({ code: 'migration_changed' })
  })

  test('refuses names that have no clear order', async () => {
    write('1_things.sql', 'select 1;')
    await expect(apply()).rejects.toMatchObject({ code: 'migration_name_invalid' })
  })

  test('waits for the disk once, with the last file', async () => {
    write('0001_things.sql', 'create table public.things (position int, waits text);')
    for (const position of [2, 3, 4])
      write(
        `000${position}_fill.sql`,
        `insert into public.things values (${position}, current_setting('synchronous_commit'));`,
      )
    // Test databases commit asynchronously.
    await db.pool.execute(sql`alter database ${sql.identifier(db.name)} set synchronous_commit = 'on'`)
    await using pool = createPool({ url: db.url, applicationName: 'test', connectionsMax: 1 })
    await applyMigrations({ pool, sources: [source], logger: silentLogger })
    expect(await db.pool.query(sql`select waits from public.things order by position`)).toEqual([
      { waits: 'off' },
      { waits: 'off' },
      { waits: 'on' },
    ])
  })

  test('lets two processes start at once', async () => {
    write('0001_things.sql', 'create table public.things (id int); select pg_sleep(0.1);')
    const applied = await Promise.all([apply(), apply()])
    expect(applied.flat()).toHaveLength(1)
  })

  test.each([
    ['before a migration', /^set idle/, ['0001_things', '0002_others']],
    ['in a migration', /^create table/, ['0001_things', '0002_others']],
    ['after a migration', /^reset all/, ['0002_others']],
  ])('does not wait for long for a process that has stopped %s', async (_where, last, left) => {
    write('0001_things.sql', 'create table public.things (id int);')
    write('0002_others.sql', 'create table public.others (id int);')
    const stopped = Promise.withResolvers<void>()
    await using pool = createPool({ url: db.url, applicationName: 'holdfast', connectionsMax: 1 })
    const first = applyMigrations({
      pool: stopping(pool, last, stopped.resolve),
      sources: [source],
      logger: silentLogger,
      idleMaxMs: 200,
    })
    await stopped.promise
    const [, others] = await Promise.all([expect(first).rejects.toThrow(/terminat/), apply()])
    expect(others.map(({ name }) => name)).toEqual(left)
  })

  test('names the session that it waits for', async () => {
    const told: string[] = []
    const logger: Logger = { log: (_level, message, fields) => void told.push(`${message} ${JSON.stringify(fields)}`) }
    await using pool = createPool({ url: db.url, applicationName: 'a frozen server', connectionsMax: 1 })
    let applying: Promise<unknown> | undefined
    await pool.withClient(async (client) => {
      await client.query('select pg_advisory_lock(4711054321)')
      applying = applyMigrations({ pool: db.pool, sources: [source], logger })
      await expect.poll(() => told.join()).toMatch(/waits for another process.+process \d+ \(a frozen server\)/)
      await client.query('select pg_advisory_unlock_all()')
    })
    await applying
  })
})

describe('the platform migrations', () => {
  test('give the API roles what Supabase gives them, and the request role nothing', async () => {
    await db.pool.execute(sql`create table public.things (id int)`)
    const rows = await db.pool.query(sql`
      select rolname as name, rolsuper as super, rolbypassrls as bypass, rolcanlogin as login,
             has_table_privilege(rolname, 'public.things', 'select, insert, update, delete') as granted
        from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator') order by rolname
    `)
    expect(rows).toEqual([
      { name: 'anon', super: false, bypass: false, login: false, granted: true },
      { name: 'authenticated', super: false, bypass: false, login: false, granted: true },
      { name: 'authenticator', super: false, bypass: false, login: true, granted: false },
      { name: 'service_role', super: false, bypass: true, login: false, granted: true },
    ])
    expect(await db.requestPool.query(sql`select current_user::text as me`)).toEqual([{ me: 'authenticator' }])
  })

  test('provide pgcrypto to the API roles without naming its schema', async () => {
    const rows = await runAs(db.requestPool, { role: 'anon', claims: {} }, (tx) =>
      tx.query(sql`select encode(digest('a', 'md5'), 'hex') as md5`),
    )
    expect(rows).toEqual([{ md5: '0cc175b9c0f1b6a831c399e269772661' }])
  })
})

test('the password of a login role is set without its text and only when it differs', async () => {
  await db.pool.execute(sql`create role ${sql.identifier(db.name)} nologin`)
  const url = new URL(db.url)
  url.username = db.name
  url.password = 'p%40ss'
  try {
    await ensureRolePasswords(db.pool, [url.href])
    await using pool = createPool({ url: url.href, applicationName: 'test', connectionsMax: 1 })
    expect(await pool.query(sql`select current_user::text as me`)).toEqual([{ me: db.name }])
    const verifier = (): Promise<object[]> =>
      db.pool.query(sql`select rolpassword from pg_authid where rolname = ${db.name}`)
    const before = await verifier()
    await ensureRolePasswords(db.pool, [url.href])
    expect(await verifier()).toEqual(before)
  } finally {
    await db.pool.execute(sql`drop role ${sql.identifier(db.name)}`)
  }
})
