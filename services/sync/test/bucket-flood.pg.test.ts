import { expect, test } from 'vitest'
import { INCOMPLETE_PATH } from '@holdfast/protocol'
import type { SyncStatus } from '../src/inspect/status.ts'
import { BUCKETS_PER_CLIENT_MAX } from '../src/limits.ts'
import { ALICE, BOB, CAROL, openWorld, type World } from './sync-world.ts'

/*
 * Sharing more with a person than fits on a device costs them what was shared, and nothing else; they are told, and so is the operator. Whoever is not
 * concerned notices nothing.
 */

const SCHEMA = `
  create table public.shares (id uuid primary key default gen_random_uuid(), document_id uuid not null, with_id uuid not null, by_id uuid);
  create table public.documents (id uuid primary key default gen_random_uuid(), owner_id uuid, title text);
  create table public.notes (id uuid primary key default gen_random_uuid(), owner_id uuid, title text);
  create index on public.shares (with_id);
  alter table public.documents enable row level security;
  alter table public.notes enable row level security;
  alter table public.shares enable row level security;
  create function public.shared_with_me() returns setof uuid language sql stable security definer set search_path = ''
    as $$ select s.document_id from public.shares s where s.with_id = auth.uid() $$;
  create policy own on public.documents for select using (owner_id = (select auth.uid()));
  create policy shared on public.documents for select using (id in (select public.shared_with_me()));
  create policy own on public.notes for select using (owner_id = (select auth.uid()));
  insert into public.documents (owner_id, title) values ('${ALICE}', 'by Alice'), ('${BOB}', 'by Bob');
  insert into public.notes (owner_id, title) values ('${ALICE}', 'of Alice'), ('${BOB}', 'of Bob');
  insert into public.shares (document_id, with_id) select id, '${BOB}' from public.documents where owner_id = '${ALICE}';
`

const TABLES = ['documents', 'notes']

async function statusOf(world: World): Promise<SyncStatus> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as SyncStatus
}

async function incompleteOf(world: World, userId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${world.token(userId)}` }
  return (await fetch(`${world.url}${INCOMPLETE_PATH}`, { headers })).json()
}

const titles = (state: ReadonlyMap<string, string> | undefined): string[] =>
  [...(state?.values() ?? [])].map((json) => (JSON.parse(json) as { title: string }).title).toSorted()

test('who has more shared with them than fits keeps everything else, is told, and gets it back', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  for (const device of [alice, bob]) device.connect()
  for (const device of [alice, bob]) await device.until(() => device.completed.length > 0)
  expect(titles(bob.completed.at(-1)?.state)).toEqual(['by Alice', 'by Bob', 'of Bob'])

  await world.run(
    `begin; select pg_logical_emit_message(true, 'holdfast:author', '${ALICE}'); insert into public.shares (document_id, with_id, by_id) select gen_random_uuid(), '${BOB}', '${ALICE}' from generate_series(1, ${BUCKETS_PER_CLIENT_MAX + 500}); commit`,
  )
  await bob.until(() => titles(bob.completed.at(-1)?.state).join() === 'by Bob,of Bob', 'what fits')
  const told = bob.lines.findLast(({ checkpoint }) => checkpoint)?.checkpoint?.streams ?? []
  expect(JSON.stringify(told)).toContain('rows of public.documents that this account sees by policy \\"shared\\"')
  expect((await statusOf(world)).leftOut).toEqual([
    {
      person: BOB,
      table: 'public.documents',
      policy: 'shared',
      buckets: BUCKETS_PER_CLIENT_MAX + 1,
      through: ['public.shares'],
      authors: [{ author: ALICE, rows: BUCKETS_PER_CLIENT_MAX + 500 }],
    },
  ])
  expect(world.service.status().floods).toContain(
    `${BOB} does not get public.documents by policy "shared", which is in ${BUCKETS_PER_CLIENT_MAX + 1} buckets or more, written by ${ALICE}`,
  )

  const missing = { table: 'documents', reason: 'too_many_groups', policy: 'shared' }
  expect(await incompleteOf(world, BOB)).toEqual({ known: true, tables: [missing] })
  expect(await incompleteOf(world, ALICE)).toEqual({ known: true, tables: [] })
  expect(await incompleteOf(world, CAROL)).toEqual({ known: false, tables: [] })

  // A new connection is no different, and what changes goes on.
  bob.disconnect()
  await world.run(`update public.notes set title = title || ', changed'`)
  bob.connect()
  await bob.until(() => titles(bob.completed.at(-1)?.state).join() === 'by Bob,of Bob, changed', 'the change')
  await alice.until(() => titles(alice.completed.at(-1)?.state).join() === 'by Alice,of Alice, changed')

  await world.run(`delete from public.shares where by_id is not null`)
  const visible = await world.visible(BOB, TABLES)
  await bob.until(() => bob.completed.at(-1)?.state.size === visible.size, 'all of it')
  expect(bob.completed.at(-1)?.state).toEqual(visible)
  expect((await statusOf(world)).leftOut).toEqual([])
  expect(world.service.status().floods).toBeUndefined()
  expect(await incompleteOf(world, BOB)).toEqual({ known: true, tables: [] })
  expect([...alice.faults, ...bob.faults]).toEqual([])
})
