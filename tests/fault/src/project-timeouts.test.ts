/**
 * Invariants: limits of time that a project sets for its database, and for the roles that Holdfast logs in as, are for the project's own sessions. They end
 * none of the server's connections, however long one of its transactions takes.
 */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, sql, withOwnSettings, type Pool } from '@holdfast/postgres'
import { openHoldfast, openRawStream, type Holdfast } from '@holdfast/test-support'

const ROWS = 5_000

const TIMEOUTS = [
  'transaction_timeout',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
]

const ROLES = ['supabase_admin', 'supabase_auth_admin', 'holdfast_reader', 'holdfast_evaluator']

let holdfast: Holdfast
/** As the superuser, not held by the timeouts either. */
let db: Pool

beforeAll(async () => {
  holdfast = await openHoldfast()
  const url = withOwnSettings(holdfast.internalUrl, 180_000)
  db = createPool({ url, applicationName: 'tests', connectionsMax: 4 })
  for (const timeout of TIMEOUTS) {
    const value = sql.trusted(`${timeout} = '300ms'`)
    await db.execute(sql`alter database postgres set ${value}`)
    for (const role of ROLES) await db.execute(sql`alter role ${sql.identifier(role)} set ${value}`)
  }
  // What runs as people keeps the limits that the project gives people.
  for (const timeout of TIMEOUTS)
    await db.execute(sql`alter role authenticator set ${sql.trusted(`${timeout} = '60s'`)}`)
  await holdfast.stop()
  await holdfast.restart()
}, 300_000)

afterAll(async () => {
  await db?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

function token(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const claims = { sub: crypto.randomUUID(), role: 'authenticated', aud: 'authenticated', exp }
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', holdfast.jwtSecret).update(text).digest('base64url')}`
}

test('tables are read, changes are written and accounts are kept past the timeouts of the project', async () => {
  await db.withClient((client) =>
    client.query(`create table public.notes (id int primary key, body text);
      insert into public.notes select i, 'note ' || i from generate_series(1, ${ROWS}) i;
      alter table public.notes enable row level security;
      create policy everybody on public.notes for select to authenticated using (true);
      grant select on public.notes to authenticated`),
  )
  // A new table is on its way: devices wait for its first rows.
  await expect
    .poll(async () => (await db.query(sql`select from sync.definitions where not dropped`)).length, { timeout: 60_000 })
    .toBeGreaterThan(0)

  await using device = await openRawStream({ url: holdfast.url, token: token(), clientId: crypto.randomUUID() })
  const idsOf = (): Set<string> => new Set(device.rows.filter(({ table }) => table === 'notes').map(({ id }) => id))
  await expect.poll(() => idsOf().size, { timeout: 60_000 }).toBe(ROWS)

  // The transaction that writes the log waits longer than any of the timeouts allows.
  await db.transaction(async (tx) => {
    await tx.execute(sql`lock table sync.ops in share row exclusive mode`)
    await db.execute(sql`insert into public.notes values (${ROWS + 1}, 'late')`)
    await expect
      .poll(
        async () =>
          (
            await db.query(sql`select from pg_stat_activity where application_name like 'holdfast sync %'
              and wait_event_type = 'Lock' and xact_start < clock_timestamp() - interval '1 s'`)
          ).length,
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0)
  })
  await expect.poll(() => idsOf().has(String(ROWS + 1)), { timeout: 60_000 }).toBe(true)

  const client = await holdfast.supabase()
  const { error } = await client.auth.signUp({ email: 'ada@example.com', password: 'a long enough password' })
  expect(error).toBeNull()
  expect(holdfast.log()).not.toMatch(/due to (transaction|statement|lock|idle)|being repaired/)
})
