import { afterEach, expect, test } from 'vitest'
import { openAnnouncements, readAnnounced } from './announced-changes.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

/*
 * Pins that in a row of changes of the schema, those that bring tables to devices hold no checkpoints; the tables come whole at the end of the row.
 * What takes something away holds them, as ever.
 */

const NEVER_MS = 3_600_000
/** However busy the machine is. */
const IN_A_ROW_MS = 60_000

/** One that is under way when the reader comes to the first change, the one that the reader waits for, and one that a busy machine may add. A compilation for each change is more. */
const FIRST_COMPILATIONS = 3

let world: World

let release = (): void => undefined

afterEach(async () => {
  release() // a compilation that is held would hold the end of the service
  await world[Symbol.asyncDispose]()
})

/** Each in a transaction of its own, with no time between them but that of their own statements. */
function inARow(statements: readonly string[]): Promise<unknown> {
  return world.run(statements.map((statement) => `begin; ${statement}; commit`).join(';'))
}

interface Steps {
  /** No device sees anything of these. */
  readonly before: readonly string[]
  /** Brings the table to devices. */
  readonly policy: string
}

function newTable(name: string): Steps {
  return {
    before: [
      `create table public.${name} (id int primary key, owner_id uuid)`,
      `alter table public.${name} enable row level security`,
      `insert into public.${name} select i, '${ALICE}' from generate_series(1, 3) i`,
    ],
    policy: `create policy mine on public.${name} for select to authenticated using (owner_id = (select auth.uid()) and id > 0)`,
  }
}

test('rows of a table reach devices while new tables come to sync, one change after another', async () => {
  let isCounting = false
  let compilations = 0
  const held = Promise.withResolvers<void>()
  release = held.resolve
  world = await openWorld({
    quietCompileMs: NEVER_MS,
    changesInARowMs: IN_A_ROW_MS,
    async beforeCompile() {
      if (!isCounting) return
      const policies = await world.rows(`select from pg_policies where tablename = 'first'`)
      if (policies.length > 0 && ++compilations > FIRST_COMPILATIONS) await held.promise
    },
  })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  // The first policy is compiled, however many of the others that compilation sees; later ones are not until the row has come.
  isCounting = true
  // One after another without others between them, so that they are in a row on a busy machine, too.
  const [first, second, gone] = [newTable('first'), newTable('second'), newTable('gone')]
  await inARow([
    ...[first, second, gone].flatMap(({ before }) => before),
    first.policy,
    `select pg_sleep(0.1)`,
    second.policy,
    gone.policy,
    `insert into items (owner_id, title) values ('${ALICE}', 'meanwhile')`,
  ])
  await alice.until(() => [...alice.state.values()].some((row) => row.includes('meanwhile')), 'the row', 30_000)
  held.resolve()
  await inARow([
    `alter table public.second add column note text`,
    `drop policy mine on public.second`,
    `create policy mine on public.second for select to authenticated using (owner_id = (select auth.uid()) and id < 3)`,
    `drop table public.gone`,
  ])
  const keys = (): string[] => [...alice.state.keys()].filter((key) => !key.startsWith('items/')).toSorted()
  await alice.until(
    () => keys().join() === 'first/1,first/2,first/3,second/1,second/2',
    'the new tables, as their last policies have them',
    30_000,
  )
  const sizes = alice.completed.map(({ state }) => [...state.keys()].filter((key) => key.startsWith('second/')).length)
  for (const size of sizes) expect([0, 2, 3]).toContain(size)
  expect(alice.faults).toEqual([])
})

test('in a row of changes, what a change takes away is gone at its place', async () => {
  world = await openWorld({ changesInARowMs: IN_A_ROW_MS })
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'before')`)
  const alice = world.device(ALICE)
  alice.connect()
  await alice.next()
  const [first, second] = [newTable('first'), newTable('second')]
  await inARow([
    ...first.before,
    ...second.before,
    first.policy,
    `drop policy own on public.items`,
    `insert into items (owner_id, title) values ('${ALICE}', 'secret')`,
    second.policy,
  ])
  await alice.until(
    () => [...alice.state.keys()].toSorted().join() === 'first/1,first/2,first/3,second/1,second/2,second/3',
    'the new tables instead of the old one',
    30_000,
  )
  expect(alice.received.filter((row) => row.includes('secret'))).toEqual([])
  expect(alice.faults).toEqual([])
})

/** What the event triggers say of a statement. */
async function isApart(statement: string): Promise<boolean> {
  const { ddl, quiet, apart } = await readAnnounced(world, statement)
  return apart + quiet === ddl
}

test('only what concerns plain tables and nothing else is apart', async () => {
  world = await openWorld()
  await world.stop()
  await world.run(`create table public.other (id int primary key, note text); alter table public.other enable row level security;
    create table public.parts (id int) partition by range (id)`)
  await openAnnouncements(world)
  for (const statement of [
    ...newTable('papers').before.slice(0, 2),
    newTable('papers').policy,
    `alter table public.papers add column n int default 0`,
    `alter policy mine on public.papers using (n > 0)`,
    `alter table public.papers rename column n to m`,
    `grant select on public.papers to anon`,
    `revoke select on public.papers from anon`,
    `create index on public.papers (m)`,
    `drop policy mine on public.papers`,
    `create policy by_other on public.other using (id in (select p.id from public.papers p))`,
    `create policy mine on public.papers using (m > 0)`,
    `drop table public.papers cascade`,
  ])
    expect([statement, await isApart(statement)]).toEqual([statement, true])
  for (const statement of [
    `revoke usage on schema public from anon`,
    `grant usage on schema public to anon`,
    `create table public.part partition of public.parts for values from (1) to (2)`,
    `create view public.seen as select * from public.other`,
    `create schema aside`,
    // It may be found in place of the other one.
    `create table aside.items (id int)`,
    `drop table aside.items`,
    `create function public.says_so() returns boolean language sql as 'select true'`,
    `create or replace function public.says_so() returns boolean language sql as 'select false'`,
    `create type public.mood as enum ('fine')`,
    `drop function public.says_so()`,
    `drop view public.seen`,
    `alter table public.other drop column note`,
  ])
    expect([statement, await isApart(statement)]).toEqual([statement, false])
})
