/**
 * PL/pgSQL bodies are text until run: the operator or function a name refers to depends on operand types, which Postgres resolves. Extensions adding their own
 * `=` to the search path do not affect bodies that compare other types.
 */
import { expect, test } from 'vitest'
import { openPolicyWorld } from './policy-world.ts'

const EXTENSIONS = ['citext', 'ltree', 'hstore', 'cube']

const BODIES: Readonly<Record<string, string>> = {
  uuids: `return exists (select from grants g where g.list_id = wanted and g.user_id = auth.uid())`,
  'a variable': `select g.level into found_level from grants g where g.list_id = wanted and g.user_id = auth.uid(); return found_level > 1`,
  'texts and <>': `return exists (select from lists l where l.id = wanted and l.owner_id = auth.uid()) and 'a' || 'b' <> 'c'`,
  'a row of a table': `select l.* into found_list from lists l where l.id = wanted; return found_list.owner_id = auth.uid()`,
  'a record': `select * into r from lists l where l.id = wanted; return r.owner_id = auth.uid()`,
  'a record of some columns': `select l.owner_id, l.id + 1 as next into strict r from lists l where l.id = allowed.wanted;
    return r.owner_id = auth.uid() and r.next > 0`,
  'the record of a loop': `for r in select g.user_id, g.level from grants g where g.list_id = wanted order by g.level loop
    if r.user_id = auth.uid() and r.level > 0 then return true; end if; end loop; return false`,
  'a record that is filled by the fields of another': `for r in select l.id from lists l where l.id = wanted loop
    for s in select g.user_id from grants g where g.list_id = r.id loop
      if s.user_id = auth.uid() then return true; end if; end loop; end loop; return false`,
  'a record that is filled twice with rows of one type': `select l.owner_id, l.id into r from lists l where l.id = wanted;
    if r.owner_id is null then select g.user_id as owner_id, g.list_id as id into strict r from grants g where g.list_id = wanted; end if;
    return r.owner_id = auth.uid()`,
}

test.each(Object.entries(BODIES))(
  '%s are compared by their own operators beside those of extensions',
  async (_, body) => {
    await using world = await openPolicyWorld()
    const declared = `declare found_level integer; found_list public.lists%rowtype; r record; s record;`
    const statements = [
      `create function public.allowed(wanted integer) returns boolean language plpgsql stable as $$ ${declared} begin ${body}; end $$`,
      'create policy form on public.items for select to authenticated using (public.allowed(list_id))',
    ]
    await world.run(...statements)
    const before = await world.compile()
    for (const name of EXTENSIONS) await world.run(`create extension ${name} schema public`)
    const after = await world.compile()
    const items = after.tables.find((table) => table.name === 'items')
    expect(after.refused.find((table) => table.name === 'items')?.reason).toBeUndefined()
    expect(items?.definitions).toEqual(before.tables.find((table) => table.name === 'items')?.definitions)
  },
)

test.each([
  [
    'with rows of two types',
    `select l.owner_id as who into r from lists l where l.id = wanted;
     if r.who is null then select l.id as who into r from lists l where l.id = wanted; end if; return r.who::text = 'a'`,
  ],
  [
    'by an assignment',
    `select l.owner_id into r from lists l where l.id = wanted; r := row(r.owner_id); return r.owner_id = auth.uid()`,
  ],
])('a record that is filled %s is the refusal of its table, with what to write', async (_, body) => {
  await using world = await openPolicyWorld()
  for (const name of EXTENSIONS) await world.run(`create extension ${name} schema public`)
  await world.run(
    `create function public.allowed(wanted integer) returns boolean language plpgsql stable as $$ declare r record; begin ${body}; end $$`,
    'create policy form on public.items for select to authenticated using (public.allowed(list_id))',
    'alter table public.lists enable row level security',
    'create policy form on public.lists for select to authenticated using (owner_id = auth.uid())',
  )
  const plan = await world.compile()
  expect(plan.tables.map((table) => table.name)).toContain('lists')
  expect(plan.refused.find((table) => table.name === 'items')?.reason).toMatch(/type record.*name%rowtype/)
})

test('records are followed to what fills them, and whom a change there concerns', async () => {
  await using world = await openPolicyWorld()
  for (const name of EXTENSIONS) await world.run(`create extension ${name} schema public`)
  await world.run(
    `create function public.allowed(wanted integer) returns boolean language plpgsql stable as $$ declare r record; begin
       for r in select g.user_id, g.list_id from grants g where g.user_id = auth.uid() loop
         if r.list_id = wanted then return true; end if; end loop; return false; end $$`,
    'create policy form on public.items for select to authenticated using (public.allowed(list_id))',
  )
  const plan = await world.compile()
  expect(plan.refused.find((table) => table.name === 'items')?.reason).toBeUndefined()
  expect(plan.tables.find((table) => table.name === 'items')?.definitions[0]?.dependencies).toMatchObject([
    { name: 'grants', columns: ['list_id', 'user_id'], pin: { column: 'user_id' } },
  ])
})

test('an operator of an extension is followed as that one', async () => {
  await using world = await openPolicyWorld()
  await world.run(
    'create extension citext schema public',
    'create table public.people (id integer primary key, email public.citext, user_id uuid)',
    `create function public.is_known(address text) returns boolean language plpgsql stable as $$
       begin return exists (select from people p where p.email = address::citext and p.user_id = auth.uid()); end $$`,
    'create policy form on public.items for select to authenticated using (public.is_known(team))',
    'alter table public.people enable row level security',
    'create policy mine on public.people using (user_id = auth.uid())',
  )
  const plan = await world.compile()
  expect(plan.refused.find((table) => table.name === 'items')?.reason).toBeUndefined()
  expect(plan.tables.find((table) => table.name === 'items')?.definitions[0]?.dependencies).toMatchObject([
    { name: 'people', columns: ['email', 'user_id'], pin: { column: 'user_id' } },
  ])
})

test('a function in PL/pgSQL without named arguments is the refusal of its table, and of no other', async () => {
  await using world = await openPolicyWorld()
  await world.run(
    `create function public.name_is(name, text) returns boolean language plpgsql stable as $$
       begin return $1::text || '' operator(pg_catalog.=) $2 and exists (select from lists l where l.owner_id = auth.uid()); end $$`,
    'create policy form on public.items for select to authenticated using (public.name_is(team::name, team))',
    'alter table public.lists enable row level security',
    'create policy form on public.lists for select to authenticated using (owner_id = auth.uid())',
  )
  const plan = await world.compile()
  expect(plan.tables.map((table) => table.name)).toContain('lists')
  expect(plan.refused.find((table) => table.name === 'items')?.reason).toContain('name its arguments')
})
