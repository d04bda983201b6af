import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorageWorld, type StorageWorld, type Who } from './storage-world.ts'

// A request is one round trip to Postgres: several roles on one connection, prepared statements are reused, and the session is reset.

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`
    insert into storage.buckets (id, name, public) values ('open', 'open', true), ('box', 'box', false);
    create policy "all but secrets" on storage.objects for all to authenticated
      using (name not like 'secret%') with check (name not like 'secret%')`)
  for (const url of ['/object/open/page', '/object/box/page', '/object/box/secret']) await put('service', url, url)
})
afterAll(() => world[Symbol.asyncDispose]())

async function put(who: Who, url: string, payload: string): Promise<number> {
  const headers = { 'content-type': 'text/plain', 'x-upsert': 'true' }
  return (await world.request(who, { method: 'POST', url, payload, headers })).status
}

async function get(who: Who, url: string): Promise<readonly [number, string]> {
  const { status, text } = await world.request(who, { method: 'GET', url })
  return [status, status === 200 ? text : '']
}

async function withPolicy(policy: string, body: () => Promise<void>): Promise<void> {
  await world.run(`create policy extra on storage.objects ${policy}`)
  try {
    await body()
  } finally {
    await world.run('drop policy extra on storage.objects; drop function if exists public.note()')
  }
}

test('policies have no say about reading a public bucket, and are not evaluated', async () => {
  await world.run(`create function public.note() returns boolean language plpgsql volatile
    as $$ begin raise 'it was evaluated'; end $$`)
  await withPolicy('as restrictive for select using (public.note())', async () => {
    expect(await get('alice', '/object/open/page')).toEqual([200, '/object/open/page'])
    expect(await get('alice', '/object/public/open/page')).toEqual([200, '/object/open/page'])
    const refused = await world.request('alice', { method: 'GET', url: '/object/box/page' })
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('it was evaluated')])
  })
})

test('a policy that Postgres cannot even plan takes no public file from anyone', async () => {
  const recursion = `for select using (exists (select from storage.objects o where o.name = objects.name))`
  await withPolicy(recursion, async () => {
    expect(await get('alice', '/object/open/page')).toEqual([200, '/object/open/page'])
    const refused = await world.request('alice', { method: 'GET', url: '/object/box/page' })
    expect(refused.status).toBe(500)
  })
  expect(await get('alice', '/object/box/page')).toEqual([200, '/object/box/page'])
})

test('whether a bucket is public counts from the next request on', async () => {
  expect(await get('nobody', '/object/public/open/page')).toEqual([200, '/object/open/page'])
  await world.run(`update storage.buckets set public = false where id = 'open'`)
  expect(await get('nobody', '/object/public/open/page')).toEqual([400, ''])
  await world.run(`update storage.buckets set public = true where id = 'open'`)
  expect(await get('nobody', '/object/public/open/page')).toEqual([200, '/object/open/page'])
})

test('what a policy sets for longer than its transaction is gone with the request', async () => {
  await world.run(`create function public.note() returns boolean language plpgsql volatile as $$
    begin
      perform set_config('project.seen', coalesce(nullif(current_setting('project.seen', true), ''), '0')::int + 1 || '', false);
      return current_setting('project.seen') = '1';
    end $$`)
  await withPolicy(`as restrictive for all to authenticated using ((select public.note()))`, async () => {
    for (let round = 0; round < 12; round++) {
      expect(await get('alice', '/object/box/page')).toEqual([200, '/object/box/page'])
      expect(await get('alice', '/object/box/secret')).toEqual([400, ''])
      expect(await put('alice', '/object/box/secret', 'x')).toBe(400)
    }
  })
})

test('statements that are prepared follow a project that changes the table and its policies', async () => {
  const read = (): ReturnType<typeof get> => get('alice', '/object/box/page')
  for (let round = 0; round < 12; round++) expect(await read()).toEqual([200, '/object/box/page'])
  await world.run(`alter table storage.objects add column shelf int default 3`)
  expect(await read()).toEqual([200, '/object/box/page'])
  expect(await put('alice', '/object/box/page', '/object/box/page')).toBe(200)
  await withPolicy(`as restrictive for select to authenticated using (shelf > 3)`, async () => {
    expect(await read()).toEqual([400, ''])
  })
  expect(await read()).toEqual([200, '/object/box/page'])
  await world.run(`alter table storage.objects drop column shelf`)
  expect(await read()).toEqual([200, '/object/box/page'])
})
