/**
 * Invariants: what a user has open while a server starts delays what needs it, and nothing else. A transaction that was left open delays the first sync of a
 * database, which health and log say; a table that is locked delays no request about another one.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, sql } from '@holdfast/postgres'
import { openHoldfast, startServer, type Holdfast, type ServerProcess } from '@holdfast/test-support'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast()
}, 300_000)

afterAll(() => holdfast?.[Symbol.asyncDispose]())

async function ask({ ready }: ServerProcess, path: string, key = ready.serviceRoleKey): Promise<unknown> {
  const response = await fetch(`${ready.base}${path}`, { headers: { apikey: key } })
  return await response.json()
}

test('a server answers about other tables while one is locked, at its start and when the schema changes', async () => {
  await holdfast.admin.withClient((client) =>
    client.query(`create table public.held (id int primary key);
      create view public.on_held as select count(*) from public.held;
      create table public.guarded (id int primary key);
      alter table public.guarded enable row level security;
      create policy through_held on public.guarded for select to anon using (exists (select from public.held));
      create table public.open (id int primary key, body text default 'none');
      grant select on public.open to anon;
      insert into public.open values (1, 'there')`),
  )
  let other: ServerProcess | undefined
  try {
    await holdfast.admin.transaction(async (tx) => {
      await tx.execute(sql`lock table public.held in access exclusive mode`)
      const server = (other = await holdfast.another())
      expect(await ask(server, '/rest/v1/open?select=*', server.ready.anonKey)).toEqual([{ id: 1, body: 'there' }])
      await holdfast.admin.withClient((client) =>
        client.query(`create table public.made_meanwhile (id int primary key);
          grant select on public.made_meanwhile to anon;
          insert into public.made_meanwhile values (7)`),
      )
      for (const { ready } of [server, { ready: { ...server.ready, base: holdfast.url } }])
        await expect
          .poll(() => ask({ ...server, ready }, '/rest/v1/made_meanwhile', ready.anonKey), { timeout: 60_000 })
          .toEqual([{ id: 7 }])
    })
  } finally {
    await other?.kill('SIGKILL')
  }
})

test('a transaction that was left open delays the first sync of a database alone, and health names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fresh-'))
  await holdfast.internal.execute(sql`create database fresh`)
  const url = new URL(holdfast.internalUrl)
  url.pathname = '/fresh'
  await using forgotten = createPool({ url: holdfast.internalUrl, applicationName: 'forgotten', connectionsMax: 1 })
  let server: ServerProcess | undefined
  try {
    await forgotten.transaction(async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      const [own] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      server = await startServer([`--database-url=${url.href}`, '--port=0', `--data-dir=${folder}/data`], folder)
      expect(await ask(server, '/health')).toMatchObject({
        sync: 'preparing',
        problem: expect.stringContaining(`process ${own?.pid} of role supabase_admin (forgotten) in database postgres`),
      })
      expect(server.log()).toContain('the replication slot waits for transactions that are open')
      expect(await ask(server, '/auth/v1/settings')).toHaveProperty('external')
      expect(await ask(server, '/rest/v1/')).toHaveProperty('swagger')
    })
    await expect
      .poll(async () => server && (await ask(server, '/health')), { timeout: 60_000 })
      .toMatchObject({ sync: 'ready' })
  } finally {
    await server?.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
})
