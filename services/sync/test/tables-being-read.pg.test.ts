import { expect, test } from 'vitest'
import { INCOMPLETE_PATH, type IncompleteAnswer } from '@holdfast/protocol'
import { holdCopies } from './held-copies.ts'
import type { StreamClient } from './stream-client.ts'
import { ALICE, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * Pins what a device has of a table that is being read after a change of the schema, when a transaction writes to it and to another table: either no checkpoint
 * leaves, or the device is told that the table is not complete. Also after the server was started again in the middle.
 */

const DEVICE = '00000000-0000-4000-8000-00000000000d'

/** One row in each table, in one transaction. */
function pair(title: string): string {
  return `insert into public.items (owner_id, title) values ('${ALICE}', '${title}');
    insert into public.papers (owner_id, title) values ('${ALICE}', '${title}')`
}

const PAPERS = `
  create table public.papers (id uuid primary key default gen_random_uuid(), owner_id uuid, title text);
  alter table public.papers enable row level security;
  grant select on public.papers to authenticated;
  create policy own on public.papers for select to authenticated using (owner_id = (select auth.uid()));
`

async function incompleteTables(world: World): Promise<IncompleteAnswer> {
  const response = await fetch(`${world.url}${INCOMPLETE_PATH}?client_id=${DEVICE}`, {
    headers: { authorization: `Token ${world.token(ALICE)}` },
  })
  return (await response.json()) as IncompleteAnswer
}

function titles(device: StreamClient, table: string): readonly string[] {
  return device.rows(table).map((row) => (row as { title: string }).title)
}

test('a device is told of a new table that is being read, until its rows are there', async () => {
  await using copies = await holdCopies('papers', 0)
  await using world = await openWorld({ through: (url) => copies.through(url) })
  const alice = world.device(ALICE, { clientId: DEVICE })
  alice.connect()
  await alice.next()
  expect(alice.completed.at(-1)?.problems).not.toContain('papers')
  await world.run(PAPERS)
  await expect.poll(() => copies.hasHeld, { timeout: 30_000 }).toBe(true)
  await world.run(pair('together'))
  await alice.until(() => titles(alice, 'items').length === 1, 'the row of the other table')
  expect(titles(alice, 'papers')).toEqual([])
  expect(alice.completed.at(-1)?.problems).toContain('papers')
  expect(await incompleteTables(world)).toEqual({ known: true, tables: [{ table: 'papers', reason: 'being_read' }] })
  copies.release()
  await alice.until(() => titles(alice, 'papers').length === 1, 'the row of the new table')
  expect(alice.completed.at(-1)?.problems).not.toContain('papers')
  expect(await incompleteTables(world)).toEqual({ known: true, tables: [] })
  expect(alice.faults).toEqual([])
})

test('a table that devices have is waited for as long after a start as before it', async () => {
  await using copies = await holdCopies('papers')
  await using world = await openWorld({ schema: LISTS_SCHEMA + PAPERS, through: (url) => copies.through(url) })
  await world.run(pair('first'))
  const alice = world.device(ALICE, { clientId: DEVICE })
  alice.connect()
  await alice.until(() => alice.state.size === 2, 'the first pair')
  copies.hold()
  await world.run(`alter policy own on public.papers using (owner_id = (select auth.uid()) and title <> 'hidden')`)
  await expect.poll(() => copies.hasHeld, { timeout: 30_000 }).toBe(true)
  await world.stop()
  const restarted = world.restart()
  const releasing = setTimeout(() => copies.release(), 3_000)
  await restarted
  alice.connect()
  await alice.next()
  clearTimeout(releasing)
  copies.release()
  await world.run(pair('second'))
  await alice.until(() => alice.state.size === 4, 'both pairs', 30_000)
  // A policy was replaced by one that shows the same: no checkpoint has one half of a pair.
  for (const { state } of alice.completed) {
    const keys = [...state.keys()]
    const count = (table: string): number => keys.filter((key) => key.startsWith(`${table}/`)).length
    expect(count('items')).toBe(count('papers'))
  }
  expect(alice.faults).toEqual([])
})
