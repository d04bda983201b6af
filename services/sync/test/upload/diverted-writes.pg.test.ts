import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { BOB, openUploadWorld, type UploadWorld } from './upload-world.ts'

/* Triggers that do something else in the place of a write, and return NULL: Postgres then says that no row was touched, though it did what the project wants. */

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
  await world.database.pool.withClient((client) =>
    client.query(`
      alter table public.tasks add column deleted_at timestamptz;
      create table public.steps (id integer generated always as identity primary key, what text);
      create policy "deleted tasks are hidden" on public.tasks as restrictive for select using (deleted_at is null or state = 'done');
      create function public.mark_deleted() returns trigger language plpgsql security definer set search_path = '' as $$ begin
        insert into public.steps (what) values ('marked');
        if old.title <> 'kept' then update public.tasks set deleted_at = now() where id = old.id; end if;
        return null; end $$;
      create trigger mark before delete on public.tasks for each row when (old.code is distinct from 'for good') execute function public.mark_deleted();
      create trigger same before update on public.tasks for each row execute function suppress_redundant_updates_trigger();
      create function public.ignore_change() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger zz_ignore before update of points on public.tasks for each row execute function public.ignore_change();
    `),
  )
})

afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await world.empty()
  await world.database.pool.execute(sql`truncate public.steps`)
})

const stored = (): Promise<readonly Record<string, unknown>[]> =>
  world.database.pool.query(sql`select title, deleted_at is not null as deleted from public.tasks order by title`)

const steps = async (): Promise<number> => (await world.database.pool.query(sql`select from public.steps`)).length

test.each([
  ['hides the row', 'open'],
  ['leaves the row to be seen', 'done'],
])('a deletion that a trigger turns into a mark, which %s, is applied, once', async (_, state) => {
  const [first, second, third] = [
    await world.seedTask({ title: 'first', state }),
    await world.seedTask({ title: 'second', state }),
    await world.seedTask({ title: 'third', state, code: 'for good' }),
  ]
  const deletions = [first, second, third].map((id) => ({ op: 'DELETE' as const, id }))
  const request = world.transaction(...deletions, { op: 'PUT', id: randomUUID(), data: { title: 'new' } })
  expect(await world.upload(request)).toMatchObject({ status: 'applied' })
  expect(await world.upload(request)).toMatchObject({ status: 'applied', repeated: true })
  expect(await stored()).toEqual([
    { title: 'first', deleted: true },
    { title: 'new', deleted: false },
    { title: 'second', deleted: true },
  ])
  expect(await steps()).toBe(2)
})

test('a deletion that was guarded is a conflict when the row changed, and is applied else', async () => {
  const id = await world.seedTask({ title: 'now' })
  const guarded = (title: string): Promise<object> =>
    world.upload(world.transaction({ op: 'DELETE', id, old: { title } }))
  expect(await guarded('before')).toMatchObject({ status: 'refused', verdicts: [{ status: 'conflict' }] })
  expect(await guarded('now')).toMatchObject({ status: 'applied' })
  expect(await stored()).toEqual([{ title: 'now', deleted: true }])
})

test.each([
  ['is not there', async () => randomUUID()],
  ['belongs to another user', () => world.seedTask({ owner: BOB, state: 'done' })],
  ['is kept by the trigger', () => world.seedTask({ title: 'kept' })],
])('a deletion of a row that %s is refused', async (_, seed) => {
  const request = world.transaction({ op: 'DELETE', id: await seed() })
  expect(await world.upload(request)).toMatchObject({ status: 'refused', verdicts: [{ status: 'no_row' }] })
  expect(await steps()).toBe(0)
})

test('a change to what is there already, which a trigger leaves out, is applied', async () => {
  const id = await world.seedTask({ title: 'same' })
  const change = { op: 'PATCH' as const, id, data: { title: 'same' } }
  expect(await world.upload(world.transaction(change))).toMatchObject({ status: 'applied' })
  expect(await world.upload(world.transaction(change, change))).toMatchObject({ status: 'applied' })
})

test('a change that a trigger ignores is refused', async () => {
  const id = await world.seedTask()
  const request = world.transaction({ op: 'PATCH', id, data: { points: 3 } })
  expect(await world.upload(request)).toMatchObject({ status: 'refused', verdicts: [{ status: 'no_row' }] })
})
