import type { BucketDefinition } from '@holdfast/policy'
import { runsOf, seedOf } from '@holdfast/test-support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBreaches, runHistory } from './histories.ts'
import { LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * The invariant of `histories.pg.test.ts`, with policies that no equality ties to the person, so that they are followed by access classes: negated
 * links, inequalities, functions in PL/pgSQL, and such beside links and under restrictive policies. `HOLDFAST_HISTORIES` sets how many in all,
 * `HOLDFAST_HISTORY_SEED` the first seed.
 */

const COUNT = runsOf(12, { variable: 'HOLDFAST_HISTORIES' })
const FIRST = seedOf('HOLDFAST_HISTORY_SEED')

const MEMBERSHIP = 'select from public.list_members m where m.list_id = items.list_id and m.user_id = auth.uid()'

const POLICIES: Readonly<Record<string, string>> = {
  'a negated link': `create policy others on public.items using (not exists (${MEMBERSHIP}))`,
  'an inequality': `
    create function public.my_level() returns int language plpgsql stable as $$
    declare
      lists int;
    begin
      select count(*) into lists from public.list_members where user_id = auth.uid();
      return lists * 30;
    end $$;
    create policy low on public.items using (n <= my_level())`,
  'a function in PL/pgSQL with its owner’s rights': `
    create function public.may_see(l uuid, o uuid) returns boolean language plpgsql stable security definer set search_path = '' as $$
    begin
      if o = auth.uid() then
        return true;
      end if;
      return exists (select 1 from public.list_members m where m.list_id = l and m.user_id = auth.uid());
    end $$;
    create policy seen on public.items using (may_see(list_id, owner_id))`,
  'a link beside it': `
    create policy own on public.items using (owner_id = auth.uid());
    create policy others on public.items using (n > 20 and list_id not in (select m.list_id from public.list_members m where m.user_id = auth.uid()))`,
  'a link that a function narrows': `
    create function public.my_limit() returns int language plpgsql stable as $$
    begin
      return (select count(*) * 400 from public.list_members where user_id = auth.uid());
    end $$;
    create policy mine on public.items using (owner_id = auth.uid() and n <= my_limit());
    create policy shared on public.items using (n > my_limit() and title = 'made' and
      list_id in (select m.list_id from public.list_members m where m.user_id = auth.uid()))`,
  'a restrictive policy': `
    create policy shared on public.items using (list_id in (select m.list_id from public.list_members m where m.user_id = auth.uid()));
    create policy open on public.items using (list_id is null);
    create policy not_mine on public.items as restrictive using (owner_id is distinct from auth.uid())`,
}

const schemaOf = (policies: string): string =>
  `${LISTS_SCHEMA} drop policy own on public.items; drop policy shared on public.items; ${policies}`

describe.each(Object.entries(POLICIES))('devices show what Postgres showed by %s', (_, policies) => {
  let world: World

  beforeAll(async () => {
    world = await openWorld({ schema: schemaOf(policies) })
    const items = world.service.plan()?.tables.find((table) => table.name === 'items')
    expect(items?.definitions.some((definition) => definition.accessClass)).toBe(true)
  })

  afterAll(() => world[Symbol.asyncDispose]())

  const each = Math.ceil(COUNT / Object.keys(POLICIES).length)
  test(`in ${each} histories from seed ${FIRST}`, { timeout: 300_000 + each * 10_000 }, async () => {
    let checkpoints = 0
    for (let seed = FIRST; seed < FIRST + each; seed++) {
      const { history, followed } = await runHistory(world, seed)
      for (const one of followed) {
        expect(findBreaches(history, one), `seed ${seed}`).toEqual([])
        checkpoints += one.device.completed.length
      }
    }
    expect(checkpoints).toBeGreaterThan(0)
  })
})

describe('the checker finds', () => {
  test.each<readonly [string, (definition: BucketDefinition) => BucketDefinition]>([
    ['a change without another evaluation', (definition) => ({ ...definition, dependencies: [] })],
    [
      'a class that everybody gets',
      (definition) => {
        const { accessClass } = definition
        if (!accessClass) return definition
        return { ...definition, accessClass: { ...accessClass, query: accessClass.query.replace(/ where .*$/s, '') } }
      },
    ],
  ])('%s', async (_, tampered) => {
    await using world = await openWorld({
      schema: schemaOf(POLICIES['a negated link'] ?? ''),
      tamper: (plan) => ({
        ...plan,
        tables: plan.tables.map((table) => ({ ...table, definitions: table.definitions.map(tampered) })),
      }),
    })
    const breaches: string[] = []
    for (let seed = 1; seed <= 15 && breaches.length === 0; seed++) {
      const { history, followed } = await runHistory(world, seed, { settleMs: 1_500 })
      breaches.push(...followed.flatMap((one) => findBreaches(history, one)))
    }
    expect(breaches).toContainEqual(expect.stringMatching(/^(equality|end):/))
  })
})
