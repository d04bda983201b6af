import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { writeByRecord, type RejectedChange } from '@holdfast/client'
import { sql } from '@holdfast/postgres'
import { differences, openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * A rejected change does not take other changes with it. Edits of other fields are applied; edits that depend on the rejected value wait, and the
 * user's decision applies them to the server's current row.
 */

const MINA = 'mina.kaya@northline.example'

const SCHEMA = `
  create table public.jobs (
    id uuid primary key, owner_id uuid not null default auth.uid(), title text check (title <> 'bad'), note text,
    state text not null default 'open', version integer not null default 1
  );
  alter table public.jobs enable row level security;
  create policy own on public.jobs for all to authenticated using (owner_id = auth.uid()) with check (owner_id = auth.uid());
  create function public.next_job_version() returns trigger language plpgsql as $$ begin new.version := old.version + 1; return new; end $$;
  create trigger next_version before update on public.jobs for each row execute function public.next_job_version();
  create table public.job_steps (id uuid primary key, job_id uuid not null references public.jobs on delete cascade, label text);
  alter table public.job_steps enable row level security;
  create policy of_own_job on public.job_steps for all to authenticated using (job_id in (select id from public.jobs where owner_id = auth.uid()))
    with check (job_id in (select id from public.jobs where owner_id = auth.uid()));
  select sync.guard_columns('public.jobs', '{state}');
  select sync.guard_rows('public.jobs', '{version}');
`

let holdfast: Holdfast
let phone: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await holdfast.admin.withClient((client) => client.query(SCHEMA))
  phone = await openDevice(holdfast, { email: MINA })
  await vi.waitFor(
    async () => {
      await phone.local.refreshSchema()
      expect(phone.tables()).toEqual(expect.arrayContaining(['jobs', 'job_steps']))
    },
    { timeout: 60_000 },
  )
})

afterAll(async () => {
  await phone?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

afterEach(async () => {
  phone.goOnline()
  for (const { id } of await phone.local.rejected.list()) await phone.local.rejected.discard(id, { withHeld: true })
  await phone.settle()
  expect(await differences(phone, ['jobs', 'job_steps'])).toEqual([])
})

async function aJob(): Promise<string> {
  const id = randomUUID()
  await phone.database.execute(`insert into jobs (id, owner_id, title) values (?, ?, 'a')`, [id, phone.local.userId])
  await phone.settle()
  return id
}

const change = (id: string, set: string): Promise<unknown> =>
  phone.database.execute(`update jobs set ${set} where id = ?`, [id])

const stored = async (id: string): Promise<unknown> =>
  (await holdfast.admin.query(sql`select title, note, state, version from public.jobs where id = ${id}`))[0]

async function onlyItem(): Promise<RejectedChange> {
  const items = await phone.local.rejected.list()
  expect(items).toHaveLength(1)
  return items[0] as RejectedChange
}

test('after a rejected offline edit, edits of other fields are applied and the next edit of its field waits', async () => {
  const id = await aJob()
  await phone.goOffline()
  await change(id, `title = 'bad', state = 'doing'`)
  await change(id, `note = 'checked on site'`)
  await change(id, `state = 'done'`)
  phone.goOnline()
  await phone.settle()
  expect(await stored(id)).toEqual({ title: 'a', note: 'checked on site', state: 'open', version: 2 })
  const item = await onlyItem()
  expect(item.held.map(({ operations }) => operations.map(({ data }) => data))).toEqual([[{ state: 'done' }]])
  await phone.local.rejected.discard(item.id)
  await phone.settle()
  expect(await stored(id)).toEqual({ title: 'a', note: 'checked on site', state: 'done', version: 3 })
  expect(await phone.local.rejected.list()).toEqual([])
})

test('a rejected change can be resent in part after a restart, and the next edit does not conflict', async () => {
  const id = await aJob()
  await change(id, `title = 'bad', note = 'kept', state = 'doing'`)
  await phone.settle()
  await phone.reopen()
  const item = await onlyItem()
  await phone.local.rejected.retry(item.id, [], [{ table: 'jobs', recordId: id, columns: ['title'] }])
  await change(id, `state = 'done'`)
  await phone.settle()
  expect(await stored(id)).toEqual({ title: 'a', note: 'kept', state: 'done', version: 3 })
  expect(await phone.local.rejected.list()).toEqual([])
})

test('only changes that depend on a rejected record wait for it and are discarded with it', async () => {
  const [free, refused, step] = [await aJob(), randomUUID(), randomUUID()]
  await phone.goOffline()
  await phone.database.execute(`insert into jobs (id, owner_id, title) values (?, ?, 'bad')`, [
    refused,
    phone.local.userId,
  ])
  await phone.database.writeTransaction(async (tx) => {
    await tx.execute(`insert into job_steps (id, job_id, label) values (?, ?, 'of the refused one')`, [step, refused])
    await tx.execute(`update jobs set note = 'in the same step' where id = ?`, [free])
  })
  await change(free, `note = 'the next value'`)
  await change(free, `title = 'apart'`)
  phone.goOnline()
  await phone.settle()
  expect(await stored(free)).toMatchObject({ title: 'apart', note: null })
  const item = await onlyItem()
  const { free: sent, needing } = phone.local.rejected.heldBy(item)
  expect([sent.length, needing.length]).toEqual([1, 1])
  await phone.local.rejected.discard(item.id)
  await phone.settle()
  expect(await stored(free)).toMatchObject({ title: 'apart', note: 'the next value' })
  expect(await phone.database.getOptional('select 1 from job_steps where id = ?', [step])).toBeNull()
})

test('a bulk change is applied record by record, and only refused records come back', async () => {
  const ids = Array.from({ length: 60 }, () => randomUUID())
  await writeByRecord(phone.database, async (tx) => {
    for (const id of ids) {
      await tx.execute(`insert into jobs (id, owner_id, title) values (?, ?, 'pasted over')`, [id, phone.local.userId])
    }
  })
  await phone.settle()
  await writeByRecord(phone.database, async (tx) => {
    for (const [n, id] of ids.entries())
      await tx.execute('update jobs set title = ?, note = ? where id = ?', [
        n % 6 === 0 ? 'bad' : `p${n}`,
        'pasted',
        id,
      ])
  })
  await phone.settle()
  expect((await phone.local.rejected.list()).map(({ recordId }) => recordId)).toEqual(ids.filter((_, n) => n % 6 === 0))
  const [counted] = await holdfast.admin.query<{ pasted: number; left: number }>(
    sql`select count(*) filter (where note = 'pasted')::int as pasted, count(*) filter (where title = 'pasted over')::int as left from public.jobs`,
  )
  expect(counted).toEqual({ pasted: 50, left: 10 })
})
