import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { BOB, caller, openUploadWorld, type UploadWorld } from './upload-world.ts'

/*
 * A guarded change counts only if the row still is as the person saw it; what the person's own earlier writes did to it is not another person's change.
 */

const SCHEMA = `
  create table public.orders (
    id uuid primary key, title text, version integer not null default 1, ratio double precision, due timestamptz, tags text[],
    notes json[], photo bytea, secret text
  );
  alter table public.orders enable row level security;
  revoke all on public.orders from authenticated;
  grant insert, delete, select (id, title, version, ratio, due, tags, notes, photo), update on public.orders to authenticated;
  create policy all_see on public.orders for select to authenticated using (title is distinct from 'hidden');
  create policy all_change on public.orders for all to authenticated using (title not like 'locked%') with check (true);
  create function public.next_version() returns trigger language plpgsql as
    $$ begin new.version := old.version + 1; new.title := upper(new.title); return new; end $$;
  create trigger next_version before update on public.orders for each row execute function public.next_version();
`

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
  await world.database.pool.withClient((client) => client.query(SCHEMA))
})

afterAll(() => world?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await world.empty()
  await run(`truncate public.orders; select sync.guard_rows('public.orders', '{version}')`)
})

const run = (text: string): Promise<unknown> => world.database.pool.withClient((client) => client.query(text))

async function seed(values = `'A', 1`): Promise<string> {
  const id = randomUUID()
  await run(`insert into public.orders (id, title, version) values ('${id}', ${values})`)
  return id
}

const order = async (id: string): Promise<unknown> =>
  (await world.database.pool.query(sql`select title, version from public.orders where id = ${id}`))[0]

describe('a guarded row', () => {
  test('that another user changed is a conflict, answered with the row as the person may see it', async () => {
    const id = await seed()
    await run(`update public.orders set title = 'B', secret = 'x', tags = '{a}' where id = '${id}'`)
    const answer = await world.upload(
      world.transaction({ type: 'orders', op: 'PATCH', id, data: { title: 'mine' }, old: { version: 1 } }),
    )
    expect(answer.verdicts).toEqual([
      {
        op_id: expect.any(Number),
        status: 'conflict',
        message: expect.any(String),
        current: { version: 2 },
        row: { id, title: 'B', version: 2, ratio: null, due: null, tags: '["a"]', notes: null, photo: null },
      },
    ])
    expect(await order(id)).toEqual({ title: 'B', version: 2 })
  })

  test('is not deleted once another user has changed it', async () => {
    const id = await seed()
    await run(`update public.orders set title = 'B' where id = '${id}'`)
    const answer = await world.upload(world.transaction({ type: 'orders', op: 'DELETE', id, old: { version: 1 } }))
    expect(answer).toMatchObject({ status: 'refused', verdicts: [{ status: 'conflict', current: { version: 2 } }] })
  })

  test('is changed several times in one transaction, also when a trigger changes the guarded column', async () => {
    const id = await seed()
    const changes = ['b', 'c', 'd'].map((title) => ({
      type: 'orders',
      op: 'PATCH' as const,
      id,
      data: { title },
      old: { version: 1 },
    }))
    const answer = await world.upload(world.transaction(...changes))
    expect(answer).toMatchObject({
      status: 'applied',
      verdicts: [{ status: 'applied' }, { status: 'applied' }, { status: 'applied', now: { version: 4 } }],
    })
    expect(answer.verdicts[0]).not.toHaveProperty('now')
    expect(await order(id)).toEqual({ title: 'D', version: 4 })
  })

  test('is made and changed in one transaction by a device that knows no defaults', async () => {
    const id = randomUUID()
    const answer = await world.upload(
      world.transaction(
        { type: 'orders', op: 'PUT', id, data: { title: 'a' } },
        { type: 'orders', op: 'PATCH', id, data: { title: 'b' }, old: { version: null } },
        { type: 'orders', op: 'DELETE', id, old: { version: null } },
      ),
    )
    expect(answer.status).toBe('applied')
  })

  test('tells with a create what the database made of it', async () => {
    const answer = await world.upload(
      world.transaction({ type: 'orders', op: 'PUT', id: randomUUID(), data: { title: 'a' } }),
    )
    expect(answer.verdicts).toMatchObject([{ status: 'applied', now: { version: 1 } }])
  })

  test('that a policy does not let the person change is no conflict', async () => {
    const id = await seed(`'locked', 1`)
    const answer = await world.upload(
      world.transaction({ type: 'orders', op: 'PATCH', id, data: { title: 'x' }, old: { version: 1 } }),
      caller(BOB),
    )
    expect(answer.verdicts).toMatchObject([{ status: 'no_row' }])
  })

  test('that the person may not see any more is no conflict, and tells nothing', async () => {
    const id = await seed(`'hidden', 9`)
    await run(`alter policy all_change on public.orders using (title not in ('hidden'))`)
    const answer = await world.upload(
      world.transaction({ type: 'orders', op: 'PATCH', id, data: { title: 'x' }, old: { version: 1 } }),
    )
    expect(JSON.stringify(answer)).not.toContain('hidden')
    expect(answer.verdicts).toMatchObject([{ status: 'no_row' }])
    await run(`alter policy all_change on public.orders using (title not like 'locked%')`)
  })

  test.each([
    ['NaN as nothing', { ratio: null }, `ratio = 'NaN'`],
    ['infinity as the last moment', { due: '9999-12-31T23:59:59.999999Z' }, `due = 'infinity'`],
    ['minus infinity as the first', { due: '0000-01-01T00:00:00.000000Z' }, `due = '-infinity'`],
    ['an array as JSON', { tags: '["a","b,c",null]' }, `tags = '{a,"b,c",NULL}'`],
    ['an array of JSON', { notes: '[{"a": 1}]' }, `notes = array['{"a":1}'::json]`],
  ])('is compared with what devices hold: %s', async (_title, old, set) => {
    const id = await seed()
    await run(`alter table public.orders disable trigger user; update public.orders set ${set} where id = '${id}';
               alter table public.orders enable trigger user`)
    const answer = await world.upload(world.transaction({ type: 'orders', op: 'PATCH', id, data: { title: 'b' }, old }))
    expect(answer.status).toBe('applied')
  })
})

describe('declaring a guard', () => {
  test('refuses a column that is not there, and a table that is not there', async () => {
    await expect(run(`select sync.guard_columns('public.orders', '{nope}')`)).rejects.toMatchObject({ code: '42703' })
    await expect(run(`select sync.guard_rows('public.nope')`)).rejects.toMatchObject({ code: '42P01' })
  })

  test('is not for people', async () => {
    const asPerson = world.database.pool.withClient(async (client) => {
      await client.query('begin')
      try {
        await client.query('set local role authenticated')
        await client.query(`select sync.guard_rows('public.orders')`)
      } finally {
        await client.query('rollback')
      }
    })
    await expect(asPerson).rejects.toMatchObject({ code: '42501' })
  })

  test('replaces what was said before, and an empty list ends it', async () => {
    await run(`select sync.guard_rows('public.orders')`)
    expect(await world.database.pool.query(sql`select scope, columns from sync.guards`)).toEqual([
      { scope: 'row', columns: null },
    ])
    await run(`select sync.guard_rows('public.orders', '{}')`)
    expect(await world.database.pool.query(sql`select scope from sync.guards`)).toEqual([])
  })
})
