import { expect, test } from 'vitest'
import { holdCopies } from './held-copies.ts'
import { ALICE, LISTS_SCHEMA, openWorld } from './sync-world.ts'

/*
 * Pins that tables that are filled one after another come into use together, so that checkpoints leave while others are still being read, also when
 * evaluating people's keys takes longer than reading a table.
 */

const TABLES = 80
/** Milliseconds from one table that was read to the next. */
const READING_MS = 50
/** Evaluating the keys of a person takes longer than reading a table. */
const EVALUATION_TURNS = 8_000_000

const SLOW_KEYS = `${LISTS_SCHEMA}
  create function public.slow_uid() returns uuid language plpgsql stable as
    $$ begin for n in 1 .. ${EVALUATION_TURNS} loop null; end loop; return auth.uid(); end $$;
  alter policy own on public.items using (owner_id = (select public.slow_uid()));
`

function newTable(n: number): string {
  return `create table public.many_${n} (id int primary key, owner_id uuid);
    alter table public.many_${n} enable row level security;
    create policy mine on public.many_${n} for select to authenticated using (owner_id = (select auth.uid()));
    insert into public.many_${n} values (1, '${ALICE}');`
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('rows of a table reach devices while many new tables are read, one after another', async () => {
  await using copies = await holdCopies('many_', 0)
  await using world = await openWorld({ schema: SLOW_KEYS, through: (url) => copies.through(url) })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  await world.run(Array.from({ length: TABLES }, (_, n) => newTable(n)).join('\n'))
  await expect.poll(() => copies.hasHeld, { timeout: 60_000 }).toBe(true)
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'meanwhile')`)
  const hasRow = (): boolean => [...alice.state.values()].some((row) => row.includes('meanwhile'))
  let read = 0
  for (; read < TABLES && !hasRow(); read++) {
    copies.releaseNext()
    await pause(READING_MS)
  }
  copies.release()
  await alice.until(hasRow, 'the row')
  const has = (n: number): boolean => alice.ids(`many_${n}`).length === 1
  const all = Array.from({ length: TABLES }, (_, n) => n)
  await alice.until(() => all.every(has), 'the rows of all new tables')
  const early = alice.completed.find(({ state }) => [...state.values()].some((row) => row.includes('meanwhile')))
  expect(all.some((n) => !early?.state.has(`many_${n}/1`))).toBe(true)
  expect(alice.faults).toEqual([])
})

test('tables that are filled come into use although another one cannot be read', async () => {
  await using copies = await holdCopies('last_many', 0)
  await using world = await openWorld({ through: (url) => copies.through(url) })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  await world.run(`${newTable(1)} ${newTable(2)} ${newTable(3)} ${newTable(0).replaceAll('many_0', 'last_many')}
    insert into public.last_many select n, '${ALICE}' from generate_series(2, 20000) n;
    analyze public.last_many`)
  await alice.until(() => [1, 2, 3].every((n) => alice.ids(`many_${n}`).length === 1), 'the tables that are read')
  expect(alice.ids('last_many')).toEqual([])
  copies.release()
  await alice.until(() => alice.ids('last_many').length === 20_000, 'the last table')
  expect(alice.faults).toEqual([])
})
