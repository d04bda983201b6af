import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRefusals } from '../src/replicator/setup/prerequisites.ts'
import { syncMigrations } from '../src/sync.ts'
import type { SyncStatus } from '../src/inspect/status.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * Sync is exact or off: whatever it depends on is looked at, and what is missing is said to operators and devices. REST, uploads and accounts do not need it.
 */

const SCHEMA = `
  create table public.notes (id int primary key, owner_id uuid, n int);
  alter table public.notes enable row level security;
  create policy own on public.notes for select using (owner_id = auth.uid());
  insert into public.notes values (1, '${ALICE}', 1), (2, '${ALICE}', 2);
`
/** Takes all rows from everybody, and changes what is left in them without a change of a row. */
const HIDE = `alter policy own on public.notes using (id > 1); alter table public.notes alter n type int using n + 9`

interface Logged {
  readonly level: string
  readonly message: string
  readonly reason: string
}

async function status(world: World): Promise<SyncStatus> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as SyncStatus
}

/** Status and code of what devices ask for. */
async function answers(world: World): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${world.token(ALICE)}`, 'content-type': 'application/json' }
  const asked = [
    fetch(`${world.url}/sync/stream`, { method: 'POST', headers, body: '{"buckets":[]}' }),
    fetch(`${world.url}/sync/v1/schema`, { headers }),
    fetch(`${world.url}/write-checkpoint2.json?client_id=a`, { headers }),
    fetch(`${world.url}/sync/v1/write-rules`, { headers }),
  ]
  return await Promise.all(
    asked.map(async (one) => {
      const response = await one
      if (response.ok) return `${response.status}`
      return `${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`
    }),
  )
}

const OFF = Array.from({ length: 4 }, () => '503 HF_SYNC_REFUSED')

interface Case {
  readonly what: string
  readonly broken: string
  readonly mended: string
  readonly reason: RegExp
}

const CASES: readonly Case[] = [
  {
    what: 'holdfast_ddl is disabled',
    broken: 'alter event trigger holdfast_ddl disable',
    mended: 'alter event trigger holdfast_ddl enable always',
    reason: /event trigger holdfast_ddl does not fire .*alter event trigger holdfast_ddl enable always/,
  },
  {
    what: 'holdfast_rewrite calls another function',
    broken: `create function public.nothing() returns event_trigger language plpgsql as $$ begin end $$; drop event trigger holdfast_rewrite;
      create event trigger holdfast_rewrite on table_rewrite execute function public.nothing(); alter event trigger holdfast_rewrite enable always`,
    mended: 'drop event trigger holdfast_rewrite',
    reason: /event trigger holdfast_rewrite does not fire/,
  },
]

describe('while nothing would tell of changes of policies', () => {
  test.each(CASES)(
    'because $what, devices get nothing, and afterwards what Postgres shows',
    async ({ broken, mended, reason }) => {
      const logged: Logged[] = []
      await using world = await openWorld({
        schema: SCHEMA,
        logger: {
          log: (level, message, fields) => logged.push({ level, message, reason: String(fields?.['reason']) }),
        },
      })
      const device = world.device(ALICE)
      device.connect()
      await device.until(() => device.ids('notes').length === 2)
      await world.run(broken)
      await expect.poll(() => world.service.status().refused, { timeout: 8_000 }).toBe(true)
      await expect.poll(() => device.isOpen).toBe(false)
      expect(await answers(world)).toEqual(OFF)
      expect(await status(world)).toMatchObject({
        ready: false,
        reader: { state: 'refused', problem: expect.stringMatching(reason) },
      })
      expect(logged.filter(({ level }) => level === 'error')).toEqual([
        { level: 'error', message: expect.stringContaining('refused'), reason: expect.stringMatching(reason) },
      ])
      await world.run(HIDE)
      await world.run(mended)
      await expect.poll(() => world.service.status().ready, { timeout: 8_000 }).toBe(true)
      const fresh = world.device(ALICE)
      fresh.connect()
      await fresh.until(() => fresh.rows('notes').length === 1)
      expect(fresh.rows('notes')).toEqual([expect.objectContaining({ n: 11 })])
    },
  )
})

test('event triggers that are missing are created again, and everything is read again', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  await world.stop()
  await world.run(`drop event trigger holdfast_ddl; drop event trigger holdfast_rewrite; ${HIDE}`)
  await world.restart()
  const device = world.device(ALICE)
  device.connect()
  await device.until(() => device.rows('notes').length === 1)
  expect(device.rows('notes')).toEqual([expect.objectContaining({ n: 11 })])
  await world.run('alter policy own on public.notes using (id > 0)')
  await device.until(() => device.rows('notes').length === 2)
})

test('what passed while a server was stopped and event triggers were off is noticed', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  await world.stop()
  await world.run(
    `alter event trigger holdfast_rewrite disable; ${HIDE}; alter event trigger holdfast_rewrite enable always`,
  )
  await world.restart()
  const device = world.device(ALICE)
  device.connect()
  await device.until(() => device.rows('notes').length === 1)
  expect(device.rows('notes')).toEqual([expect.objectContaining({ n: 11 })])
})

describe('reasons for operators', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await openTestDatabase({ migrations: [syncMigrations] })
  })
  afterAll(() => db[Symbol.asyncDispose]())

  test.each<readonly [statement: string, reason: string]>([
    ...[
      'holdfast_ddl',
      'holdfast_drop',
      'holdfast_rewrite',
      'holdfast_publication',
      'holdfast_publication_drop',
      'holdfast_partitions',
    ].map((name) => [`alter event trigger ${name} disable`, `event trigger ${name} does not fire`] as const),
    ['alter event trigger holdfast_ddl enable', 'event trigger holdfast_ddl does not fire'],
    ['alter event trigger holdfast_publication enable replica', 'event trigger holdfast_publication does not fire'],
    [
      'do $$ begin execute format($a$alter database %I set event_triggers = off$a$, current_database()); end $$',
      'event_triggers is off',
    ],
    [
      'do $$ begin execute format($a$alter role postgres in database %I set event_triggers = off$a$, current_database()); end $$',
      'event_triggers is off',
    ],
  ])('%s', async (statement, reason) => {
    const undone = new Error('undone')
    const trying = db.pool.transaction(async (tx) => {
      await tx.execute(sql.trusted(statement))
      expect(await findRefusals(tx, db.compilerPool)).toEqual([expect.stringContaining(reason)])
      throw undone
    })
    await expect(trying).rejects.toBe(undone)
    expect(await findRefusals(db.pool, db.compilerPool)).toEqual([])
  })
})
