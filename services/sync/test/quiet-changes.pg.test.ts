import { afterEach, expect, test } from 'vitest'
import { openAnnouncements, readAnnounced } from './announced-changes.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * Pins that a migration holds no checkpoints with statements that no device sees anything of: new tables without policies, their indexes, triggers,
 * comments, grants. Those that change what a person sees hold them until they are in force, as ever.
 */

const NEVER_MS = 3_600_000

let world: World

afterEach(() => world[Symbol.asyncDispose]())

function migration(name: string, parent: string): readonly string[] {
  return [
    `create table public.${name} (id serial primary key, owner_id uuid, note text, parent_id uuid references public.${parent} (id))`,
    `create index ${name}_owner on public.${name} (owner_id)`,
    `alter table public.${name} add column done boolean not null default false`,
    `alter table public.${name} alter column note type varchar using note || ''`,
    `alter table public.${name} enable row level security`,
    `create policy writes on public.${name} for insert to authenticated with check (owner_id = auth.uid())`,
    `grant select, insert on public.${name} to authenticated`,
    `revoke insert on public.${name} from authenticated`,
    `create function public.${name}_touched() returns trigger language plpgsql as $$ begin return new; end $$`,
    `create trigger touched before update on public.${name} for each row execute function public.${name}_touched()`,
    `comment on table public.${name} is 'new'`,
    `create table public.${name}_gone (id int primary key)`,
    `drop table public.${name}_gone`,
  ]
}

test('rows of a table reach devices between the statements of a migration that does not concern it', async () => {
  let isHeld = false
  const held = Promise.withResolvers<void>()
  world = await openWorld({
    quietCompileMs: NEVER_MS,
    // Nothing goes on while policies are compiled.
    beforeCompile: async () => (isHeld ? held.promise : undefined),
  })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  isHeld = true
  const statements = [...migration('papers', 'items'), ...migration('folders', 'list_members')]
  for (const [number, statement] of statements.entries()) {
    await world.run(statement)
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'after statement ${number}')`)
    await alice.until(
      () => [...alice.state.values()].some((row) => row.includes(`"after statement ${number}"`)),
      `the row after: ${statement}`,
      20_000,
    )
  }
  isHeld = false
  held.resolve()

  // From here on a person sees it.
  await world.run(`insert into papers (owner_id, note) values ('${ALICE}', 'mine')`)
  await world.run(`create policy reads on public.papers for select to authenticated using (owner_id = auth.uid())`)
  await alice.until(() => [...alice.state.keys()].includes('papers/1'), 'the row of the new table', 20_000)
  await world.run(`drop policy reads on public.papers`)
  await world.run(`insert into papers (owner_id, note) values ('${ALICE}', 'secret')`)
  await alice.until(() => ![...alice.state.keys()].includes('papers/1'), 'the row to leave', 20_000)
  expect(alice.received.filter((row) => row.includes('secret'))).toEqual([])
  expect(alice.faults).toEqual([])
})

test('a moment after quiet changes operators are told of the new tables', async () => {
  world = await openWorld({ quietCompileMs: 20 })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  for (const statement of migration('papers', 'items')) await world.run(statement)
  await expect
    .poll(() => world.service.plan()?.refused.find(({ name }) => name === 'papers')?.reason)
    .toMatch(/no permissive policy/)
  expect(alice.faults).toEqual([])
})

/** What the event triggers say of a statement: whether nothing has to wait for it. */
async function isQuiet(statement: string): Promise<boolean> {
  const { ddl, quiet } = await readAnnounced(world, statement)
  return quiet > 0 && quiet === ddl
}

test('a change that a device may see the effect of is not quiet', async () => {
  world = await openWorld()
  await world.stop()
  await world.run(`create table public.plain (id int primary key); create table public.read (id int primary key);
    alter table public.read enable row level security; create policy all_of_it on public.read using (true);
    create table public.parts (id int) partition by range (id)`)
  await openAnnouncements(world)
  for (const statement of [
    `create policy reads on public.plain for select using (true)`,
    `alter table public.plain enable row level security`,
    `grant select on public.plain to anon`,
    `revoke select on all tables in schema public from anon`,
    `grant usage on schema public to anon`,
    `alter table public.read add column more int`,
    `create index on public.read (id)`,
    `drop policy all_of_it on public.read`,
    `create policy all_of_it on public.read using (true)`,
    `create table public.part partition of public.parts for values from (1) to (2)`,
    `create table public.child () inherits (public.read)`,
    `create view public.seen as select * from public.read`,
    `create schema other`,
    // It may be found in place of the other one.
    `create table other.items (id int)`,
    `drop table other.items`,
    `create function public.says_so() returns boolean language sql as 'select true'`,
    `create type public.mood as enum ('fine')`,
    `drop table public.read cascade`,
  ])
    expect([statement, await isQuiet(statement)]).toEqual([statement, false])
  for (const statement of migration('papers', 'items'))
    expect([statement, await isQuiet(statement)]).toEqual([statement, true])
  // A transaction of several statements, of which one is not.
  expect(await isQuiet(`create table public.more (id int); comment on table public.more is 'x'`)).toBe(true)
})
