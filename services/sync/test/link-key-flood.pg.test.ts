import { expect, test } from 'vitest'
import type { SyncStatus } from '../src/inspect/status.ts'
import { LINK_KEYS_PER_CLIENT_MAX } from '../src/limits.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld } from './sync-world.ts'

/* Making a person a member of more lists than are asked for costs them the rows of this policy, which is told, and nothing else. */

const SCHEMA = `${LISTS_SCHEMA}
  drop policy shared on public.items;
  alter table public.list_members disable row level security;
  create function public.my_limit() returns int language plpgsql stable as $$ begin return 100; end $$;
  create policy shared on public.items for select
    using (n <= my_limit() and list_id in (select m.list_id from public.list_members m where m.user_id = (select auth.uid())));
  insert into public.items (owner_id, title) values ('${ALICE}', 'of Alice'), ('${BOB}', 'of Bob');
  insert into public.items (list_id, title) values ('00000000-0000-4000-8000-000000000001', 'shared');
  insert into public.list_members (list_id, user_id) select '00000000-0000-4000-8000-000000000001', p from unnest('{${ALICE},${BOB}}'::uuid[]) p;
`

test('who has more keys of a link than are asked for keeps everything else, and gets it back', async () => {
  await using world = await openWorld({ schema: SCHEMA })
  const [alice, bob] = [world.device(ALICE), world.device(BOB)]
  for (const device of [alice, bob]) device.connect()
  const shows = async (device: typeof alice, titles: string): Promise<void> => {
    const now = (): string =>
      [...(device.completed.at(-1)?.state.values() ?? [])]
        .map((json) => (JSON.parse(json) as { title: string }).title)
        .toSorted()
        .join()
    await device.until(() => now() === titles, `${titles}; has ${now()}`)
  }
  await shows(alice, 'of Alice,shared')
  await shows(bob, 'of Bob,shared')
  await world.run(`alter table public.list_members add column is_flood boolean`)
  await world.run(`insert into public.list_members (list_id, user_id, is_flood)
    select gen_random_uuid(), '${BOB}', true from generate_series(1, ${LINK_KEYS_PER_CLIENT_MAX + 10})`)
  await shows(bob, 'of Bob')
  expect(JSON.stringify(bob.lines.findLast(({ checkpoint }) => checkpoint)?.checkpoint?.streams)).toContain(
    'rows of public.items that this account sees by policy',
  )
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  expect(((await response.json()) as SyncStatus).leftOut).toMatchObject([
    { person: BOB, table: 'public.items', through: ['public.list_members'] },
  ])
  await world.run(`delete from public.list_members where is_flood`)
  await shows(bob, 'of Bob,shared')
  await shows(alice, 'of Alice,shared')
  expect([...alice.faults, ...bob.faults]).toEqual([])
})
