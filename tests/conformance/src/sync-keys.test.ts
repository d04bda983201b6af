import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { recordId } from '@holdfast/client'
import { openDevice, openHoldfast, openPlainDevice, type Holdfast, type TestDevice } from '@holdfast/test-support'
import { column, Schema, Table } from '@powersync/common'

/* Tables with keys other than a single column `id`, partitioned tables, and composite types, on real devices with the unmodified SDK. */

const ACCOUNT = { email: 'keys@example.org', password: 'any key will do' }

let holdfast: Holdfast
let device: TestDevice

async function run(text: string): Promise<void> {
  await holdfast.admin.withClient((client) => client.query(text))
}

beforeAll(async () => {
  holdfast = await openHoldfast()
  await run(`
    create type public.size as (w int, h int);
    create table public.stock (place text, part int, n int not null, size public.size, open daterange, photo bytea, boxes int[], primary key (place, part));
    create table public.codes (code text primary key, label text);
    create table public.logs (id int, day date, what text, primary key (id, day)) partition by range (day);
    create table public.logs_2024 partition of public.logs for values from ('2024-01-01') to ('2025-01-01');
    create table public.logs_2025 partition of public.logs for values from ('2025-01-01') to ('2026-01-01');
    alter table public.stock enable row level security;
    alter table public.codes enable row level security;
    alter table public.logs enable row level security;
    create policy all_ on public.stock to authenticated using (true) with check (n >= 0);
    create policy all_ on public.codes to authenticated using (true);
    create policy all_ on public.logs to authenticated using (true);
    insert into public.stock values ('A', 1, 5, '(1,2)', '[2024-01-01,2024-02-01)', '\\x00ff', '{1,NULL}');
    insert into public.codes values ('x', 'ex');
    insert into public.logs values (1, '2024-05-05', 'first')`)
  const { error } = await (await holdfast.supabase()).auth.signUp(ACCOUNT)
  if (error) throw error
  device = await openDevice(holdfast, ACCOUNT)
})

afterAll(async () => {
  await device?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

const here = (text: string): Promise<Record<string, unknown>[]> => device.database.getAll(text)
const there = (text: string): Promise<readonly object[]> =>
  holdfast.admin.withClient(async (client) => (await client.query<object>(text)).rows)

describe('keys and types', () => {
  test('rows with any key and type can be queried on the device', async () => {
    await device.settle()
    expect(await here('select * from stock')).toMatchObject([
      {
        id: '["A","1"]', place: 'A', part: 1, n: 5, size: '{"w":1,"h":2}', photo: String.raw`\x00ff`, boxes: '[1,null]',
        open: '{"lower":"2024-01-01","upper":"2024-02-01","lower_exclusive":0,"upper_exclusive":1}',
      },
    ]) // prettier-ignore
    expect(await here('select id, code from codes')).toEqual([{ id: 'x', code: 'x' }])
    expect(await here('select * from logs')).toMatchObject([
      { id: '["1","2024-05-05"]', id_: 1, day: '2024-05-05', what: 'first' },
    ])
    expect(await here(`select size ->> 'h' as h from stock`)).toEqual([{ h: 2 }])
    expect(device.tables()).not.toContain('logs_2024')
  })

  test('a device inserts, updates and deletes rows with ids that it generates', async () => {
    const row = {
      place: 'B "2"',
      part: 7,
      n: 1,
      size: '{"w":3,"h":null}',
      photo: String.raw`\xbeef`,
      boxes: '[[1,2],[3,4]]',
    }
    const id = recordId(device.table('stock'), row)
    const names = Object.keys(row)
    await device.database.execute(
      `insert into stock (id, ${names.join(', ')}) values (?, ${names.map(() => '?').join(', ')})`,
      [id, ...Object.values(row)],
    )
    await device.database.execute(`insert into codes (id, code, label) values ('y', 'y', 'why')`)
    await device.database.execute(
      `insert into logs (id, id_, day, what) values ('["2","2025-01-01"]', 2, '2025-01-01', 'second')`,
    )
    await device.settle()
    expect(await there(`select place, part, n, size::text, photo::text, boxes from public.stock where part = 7`)).toEqual([
      { ...row, size: '(3,)', boxes: [[1, 2], [3, 4]] },
    ]) // prettier-ignore
    expect(await there(`select what from public.logs_2025`)).toEqual([{ what: 'second' }])
    expect(await here(`select id, boxes from stock where part = 7`)).toEqual([{ id, boxes: '[[1,2],[3,4]]' }])

    await device.database.execute(`update stock set n = 9 where id = ?`, [id])
    await device.database.execute(`update logs set day = '2024-12-31' where id_ = 2`) // moves to another partition, with a new id
    await device.database.execute(`delete from codes where id = 'x'`)
    await device.settle()
    expect(await there(`select n from public.stock where part = 7`)).toEqual([{ n: 9 }])
    expect(await there(`select what from public.logs_2024 order by id`)).toEqual([
      { what: 'first' },
      { what: 'second' },
    ])
    expect(await here(`select id from logs order by id_`)).toEqual([
      { id: '["1","2024-05-05"]' },
      { id: '["2","2024-12-31"]' },
    ])
    expect(await here(`select code from codes`)).toEqual([{ code: 'y' }])
  })

  test('a rejected change to a row with a composite key is kept for the user', async () => {
    await device.database.execute(`update stock set n = -1 where part = 7`)
    await vi.waitFor(async () => expect(await device.local.rejected.list()).toHaveLength(1), { timeout: 60_000 })
  })

  test('a plain PowerSync app has the rows under the same ids', async () => {
    const schema = new Schema({ codes: new Table({ code: column.text, label: column.text }) })
    await using plain = await openPlainDevice(holdfast, { ...ACCOUNT, schema })
    await plain.database.waitForFirstSync(AbortSignal.timeout(60_000))
    expect(await plain.database.getAll('select id, code from codes')).toContainEqual({ id: 'y', code: 'y' })
  })
})
