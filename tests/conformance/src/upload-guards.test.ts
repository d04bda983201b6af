import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { differences, openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * A table can require that changes are based on its current values. The device learns this from the schema; a change based on outdated values is
 * kept for its user with the server's row; and a user's own changes never conflict with each other, whatever triggers do to the guarded columns.
 */

const MINA = 'mina.kaya@northline.example'

const SCHEMA = `
  create table public.orders (
    id uuid primary key, owner_id uuid not null default auth.uid(), title text, amount integer, note text, version integer not null default 1,
    changed_at timestamptz not null default now()
  );
  alter table public.orders enable row level security;
  create policy all_see on public.orders for all to authenticated using (true) with check (true);
  create function public.next_version() returns trigger language plpgsql as
    $$ begin new.version := old.version + 1; new.changed_at := clock_timestamp(); return new; end $$;
  create table public.journals (id uuid primary key, title text, notes text);
  alter table public.journals enable row level security;
  create policy all_see on public.journals for all to authenticated using (true) with check (true);
  create trigger next_version before update on public.orders for each row execute function public.next_version();
`

let holdfast: Holdfast
let phone: TestDevice
let tablet: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await run(SCHEMA + `select sync.guard_rows('public.orders', '{version}')`)
  phone = await openDevice(holdfast, { email: MINA })
  tablet = await openDevice(holdfast, { email: MINA })
  await vi.waitFor(
    async () => {
      for (const device of [phone, tablet]) {
        await device.local.refreshSchema()
        expect(device.tables()).toEqual(expect.arrayContaining(['orders', 'journals']))
      }
    },
    { timeout: 60_000 },
  )
})

afterAll(async () => {
  await phone?.[Symbol.asyncDispose]()
  await tablet?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

afterEach(async () => {
  phone.goOnline()
  tablet.goOnline()
  for (const device of [phone, tablet]) {
    for (const { id } of await device.local.rejected.list()) await device.local.rejected.discard(id)
    await device.settle()
    expect(await differences(device, ['orders', 'journals'])).toEqual([])
  }
})

const run = (text: string): Promise<unknown> => holdfast.admin.withClient((client) => client.query(text))

async function anOrder(): Promise<string> {
  const id = randomUUID()
  await run(`insert into public.orders (id, owner_id, title, amount) values ('${id}', '${phone.local.userId}', 'a', 1)`)
  await phone.settle()
  await tablet.settle()
  return id
}

const stored = async (id: string): Promise<unknown> =>
  (await holdfast.admin.query(sql`select title, amount, note, version from public.orders where id = ${id}`))[0]

describe('a guarded row', () => {
  test('changed on two devices: the second change is kept with the row of the server; "theirs" keeps that row', async () => {
    const id = await anOrder()
    await phone.goOffline()
    await phone.database.execute(`update orders set title = 'by phone' where id = ?`, [id])
    await tablet.database.execute(`update orders set amount = 5 where id = ?`, [id])
    await tablet.settle()
    phone.goOnline()
    await phone.settle()
    const [change] = await phone.local.rejected.list()
    expect(change).toMatchObject({
      verdict: { status: 'conflict', current: { version: 2 } },
      serverRow: { id, title: 'a', amount: 5, note: null, version: 2 },
    })
    await phone.local.rejected.discard(change?.id ?? '')
    await phone.settle()
    expect(await stored(id)).toEqual({ title: 'a', amount: 5, note: null, version: 2 })
  })

  test('"mine" is applied with all later changes', async () => {
    const id = await anOrder()
    await phone.goOffline()
    await phone.database.execute(`update orders set title = 'mine' where id = ?`, [id])
    await phone.database.execute(`update orders set note = 'and more' where id = ?`, [id])
    await tablet.database.execute(`update orders set amount = 5 where id = ?`, [id])
    await tablet.settle()
    phone.goOnline()
    await phone.settle()
    const [change] = await phone.local.rejected.list()
    expect(change?.held).toHaveLength(1)
    await phone.local.rejected.retry(change?.id ?? '')
    await phone.settle()
    expect(await phone.local.rejected.list()).toEqual([])
    expect(await stored(id)).toEqual({ title: 'mine', amount: 5, note: 'and more', version: 4 })
  })

  test('is not deleted by a device with an outdated row', async () => {
    const id = await anOrder()
    await phone.goOffline()
    await phone.database.execute('delete from orders where id = ?', [id])
    await tablet.database.execute(`update orders set amount = 7 where id = ?`, [id])
    await tablet.settle()
    phone.goOnline()
    await phone.settle()
    expect(await phone.local.rejected.list()).toMatchObject([{ op: 'DELETE', verdict: { status: 'conflict' } }])
    expect(await stored(id)).toMatchObject({ amount: 7 })
  })

  test('changed often by one user, offline, online and during uploads, never conflicts with itself', async () => {
    const id = randomUUID()
    await phone.goOffline()
    await phone.database.execute(`insert into orders (id, owner_id, title, amount) values (?, ?, 'made offline', 0)`, [
      id,
      phone.local.userId,
    ])
    for (let n = 1; n <= 20; n++) {
      if (n === 5) phone.goOnline()
      if (n === 12) await phone.reopen()
      await phone.database.writeTransaction(async (tx) => {
        await tx.execute('update orders set amount = ? where id = ?', [n, id])
        await tx.execute('update orders set note = ? where id = ?', [`n${n}`, id])
      })
      if (n > 5) await new Promise((resolve) => setTimeout(resolve, (n * 37) % 150))
    }
    await phone.settle()
    expect(await phone.local.rejected.list()).toEqual([])
    expect(await stored(id)).toEqual({ title: 'made offline', amount: 20, note: 'n20', version: 41 })
    // Once the rows are back, no base values need to be kept.
    await expect.poll(() => phone.database.get('select count(*) as n from hf_local_bases')).toEqual({ n: 0 })
  })
})

test('a guard declared while a device is connected applies to its next changes, and can be removed', async () => {
  await run(`create table public.drafts (id uuid primary key, title text, note text);
             alter table public.drafts enable row level security;
             create policy all_see on public.drafts for all to authenticated using (true) with check (true)`)
  const id = randomUUID()
  await run(`insert into public.drafts values ('${id}', 'a', 'b')`)
  const versionOf = (): string => phone.local.schema.get().version
  await expect
    .poll(async () => {
      await phone.local.refreshSchema()
      return phone.tables().includes('drafts')
    })
    .toBe(true)
  await phone.settle()

  const changeBehindTheBack = async (title: string): Promise<void> => {
    await phone.goOffline()
    await phone.database.execute(`update drafts set note = ? where id = ?`, [title, id])
    await run(`update public.drafts set title = '${title}' where id = '${id}'`)
    phone.goOnline()
    await phone.settle()
  }
  const before = versionOf()
  await run(`select sync.guard_rows('public.drafts')`)
  await phone.local.refreshSchema()
  expect(versionOf()).not.toBe(before)
  await phone.settle()
  await changeBehindTheBack('one')
  expect(await phone.local.rejected.list()).toMatchObject([
    { table: 'drafts', verdict: { status: 'conflict', current: { title: 'one', note: 'b' } } },
  ])
  for (const { id: item } of await phone.local.rejected.list()) await phone.local.rejected.discard(item)

  await run(`select sync.guard_rows('public.drafts', '{}')`)
  await phone.local.refreshSchema()
  await phone.settle()
  await changeBehindTheBack('two')
  expect(await phone.local.rejected.list()).toEqual([])
})

describe('a long text', () => {
  const BASE = 'pump\nvalve\nhatch\nladder\nlamp'

  async function aJournal(): Promise<string> {
    const id = randomUUID()
    await holdfast.admin.execute(sql`insert into public.journals (id, title, notes) values (${id}, 'a', ${BASE})`)
    await phone.settle()
    await tablet.settle()
    return id
  }
  const write = (device: TestDevice, id: string, notes: string): Promise<unknown> =>
    device.database.execute('update journals set notes = ? where id = ?', [notes, id])
  const notesOf = async (id: string): Promise<unknown> =>
    (await holdfast.admin.query<{ notes: string }>(sql`select notes from public.journals where id = ${id}`))[0]?.notes

  test('changed by two devices in different lines keeps the lines of both, even if one continues from its own version', async () => {
    const id = await aJournal()
    await phone.goOffline()
    await write(phone, id, BASE.replace('pump', 'pump: phone'))
    await write(phone, id, BASE.replace('pump', 'pump: phone, again'))
    await write(tablet, id, `${BASE}\nby tablet`)
    await tablet.settle()
    phone.goOnline()
    // Written before the phone knows the merged text.
    await write(phone, id, BASE.replace('pump', 'pump: phone, again').replace('hatch', 'hatch: phone'))
    await phone.settle()
    await tablet.settle()
    const both = 'pump: phone, again\nvalve\nhatch: phone\nladder\nlamp\nby tablet'
    expect(await notesOf(id)).toBe(both)
    for (const device of [phone, tablet]) {
      expect(await device.local.rejected.list()).toEqual([])
      expect(await device.database.get('select notes from journals where id = ?', [id])).toEqual({ notes: both })
    }
  })

  test('changed by both in the same line is kept in both versions until the user decides', async () => {
    const id = await aJournal()
    const [byPhone, byTablet] = ['phone', 'tablet'].map((name) => BASE.replace('hatch', `hatch: ${name}`))
    await phone.goOffline()
    await write(phone, id, byPhone ?? '')
    await phone.database.execute(`update journals set title = 'b' where id = ?`, [id])
    await write(tablet, id, byTablet ?? '')
    await tablet.settle()
    phone.goOnline()
    await phone.settle()
    const [change, ...others] = await phone.local.rejected.list()
    expect(others).toEqual([])
    expect(change).toMatchObject({
      operations: [{ data: { notes: byPhone }, old: { notes: BASE } }],
      verdict: { status: 'conflict', current: { notes: byTablet } },
    })
    expect(await notesOf(id)).toBe(byTablet)
    const both = BASE.replace('hatch', 'hatch: tablet\nhatch: phone')
    await phone.local.rejected.retry(change?.id ?? '', [{ table: 'journals', recordId: id, values: { notes: both } }])
    await phone.settle()
    expect(await phone.local.rejected.list()).toEqual([])
    expect(await notesOf(id)).toBe(both)
  })
})
