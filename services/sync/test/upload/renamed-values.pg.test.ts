import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openUploadWorld, type UploadWorld } from './upload-world.ts'

// An option was renamed while a device was offline: what the device queued under the old name is written under the new one.

let world: UploadWorld
const run = (text: string): Promise<unknown> => world.database.pool.withClient((client) => client.query(text))

beforeAll(async () => {
  world = await openUploadWorld()
  await run(`
    create table public.jobs (id uuid primary key, title text, state text check (state in ('To do', 'done')));
    alter table public.jobs enable row level security;
    grant select, insert, update, delete on public.jobs to authenticated;
    create policy all_write on public.jobs for all to authenticated using (true) with check (true);
    select sync.guard_columns('public.jobs', '{state}');
    select sync.carry_values('public.jobs', 'state', '{"open": "To do"}', '["To do", "done"]')`)
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('new records and changes take the new name, and the old value that the device saw is the renamed one', async () => {
  const [added, changed] = [randomUUID(), randomUUID()]
  await run(`insert into public.jobs values ('${changed}', 'b', 'To do')`)
  const answer = await world.upload(
    world.transaction(
      { type: 'jobs', op: 'PUT', id: added, data: { title: 'open', state: 'open' } },
      { type: 'jobs', op: 'PATCH', id: changed, data: { state: 'done' }, old: { state: 'open' } },
    ),
  )
  expect(answer.verdicts).toMatchObject([{ status: 'applied' }, { status: 'applied' }])
  expect(await world.database.pool.query(sql`select title, state from public.jobs order by title`)).toEqual([
    { title: 'b', state: 'done' },
    // Only the column whose options were renamed.
    { title: 'open', state: 'To do' },
  ])
})

test('a column that is not there is refused', async () => {
  await expect(run(`select sync.carry_values('public.jobs', 'status', '{}', '[]')`)).rejects.toMatchObject({
    code: '42703',
  })
})
