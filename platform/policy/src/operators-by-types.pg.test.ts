/**
 * Bodies in PL/pgSQL are text until they run: which operator or function a name means there depends on the types of its operands, and Postgres is asked.
 * Extensions that add an `=` of their own to the search path change nothing for bodies that compare other types.
 */
import { expect, test } from 'vitest'
import { openPolicyWorld } from '../test/policy-world.ts'

const EXTENSIONS = ['citext', 'ltree', 'hstore', 'cube']

const BODIES: Readonly<Record<string, string>> = {
  uuids: `return exists (select from grants g where g.list_id = wanted and g.user_id = auth.uid())`,
  'a variable': `select g.level into found_level from grants g where g.list_id = wanted and g.user_id = auth.uid(); return found_level > 1`,
  'texts and <>': `return exists (select from lists l where l.id = wanted and l.owner_id = auth.uid()) and 'a' || 'b' <> 'c'`,
  'a record': `select l.* into found_list from lists l where l.id = wanted; return found_list.owner_id = auth.uid()`,
}

test.each(Object.entries(BODIES))(
  '%s are compared by their own operators beside those of extensions',
  async (_, body) => {
    await using world = await openPolicyWorld()
    const declared = `declare found_level integer; found_list public.lists%rowtype;`
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
