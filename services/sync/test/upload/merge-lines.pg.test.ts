import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { declaredMerge } from '../../src/upload/merges-lines.ts'
import { openUploadWorld, type Operation, type UploadWorld } from './upload-world.ts'

/*
 * A text that two people changed is never the last one's in silence: it has the lines of both, or the second change is a conflict and comes back with both.
 */

const SCHEMA = `
  create table public.visits (
    id uuid primary key, title text, notes text, plan text, body varchar(40), state text, writer text default current_user,
    at_most integer check (length(notes) < 200)
  );
  alter table public.visits enable row level security;
  grant select, insert, update, delete on public.visits to authenticated;
  create policy all_see on public.visits for select to authenticated using (true);
  create policy all_change on public.visits for all to authenticated using (state is distinct from 'closed') with check (notes !~ 'forbidden');
`

const BASE = 'pump\nvalve\nhatch\nladder\nlamp'

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
  await run(SCHEMA)
})

afterAll(() => world?.[Symbol.asyncDispose]())

beforeEach(async () => {
  await world.empty()
  await run(`truncate public.visits; delete from sync.guards`)
})

const run = (text: string): Promise<unknown> => world.database.pool.withClient((client) => client.query(text))

async function aVisit(notes: string | null = BASE): Promise<string> {
  const id = randomUUID()
  await world.database.pool.query(
    sql`insert into public.visits (id, title, notes, plan) values (${id}, 't', ${notes}, ${notes})`,
  )
  return id
}

const write = (id: string, set: string): Promise<unknown> => run(`update public.visits set ${set} where id = '${id}'`)

const stored = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (
    await world.database.pool.query<Record<string, unknown>>(
      sql`select title, notes, plan, body from public.visits where id = ${id}`,
    )
  )[0]

const patch = (id: string, data: Operation['data'], old: Operation['old']): Operation => ({
  type: 'visits',
  op: 'PATCH',
  id,
  ...(data ? { data } : {}),
  ...(old ? { old } : {}),
})

const mine = BASE.replace('pump', 'pump: mine')

describe('a text that another person changed meanwhile', () => {
  test('has the lines of both afterwards, once, however often the change is sent', async () => {
    const id = await aVisit()
    await write(id, `notes = notes || E'\ntheirs'`)
    const change = world.transaction(patch(id, { notes: mine }, { notes: BASE }))
    expect(await world.upload(change)).toMatchObject({ status: 'applied', repeated: false })
    expect((await stored(id))?.['notes']).toBe(`${mine}\ntheirs`)
    await write(id, `notes = 'later'`)
    expect(await world.upload(change)).toMatchObject({ status: 'applied', repeated: true })
    expect((await stored(id))?.['notes']).toBe('later')
  })

  test('is a conflict where both changed the same lines, and nothing of the transaction is applied', async () => {
    const id = await aVisit()
    await write(id, `notes = replace(notes, 'pump', 'pump: theirs')`)
    const answer = await world.upload(
      world.transaction(
        patch(id, { title: 'first' }, undefined),
        patch(id, { notes: mine }, { notes: BASE }),
        patch(id, { title: 'last' }, undefined),
      ),
    )
    expect(answer).toMatchObject({
      status: 'refused',
      verdicts: [
        { status: 'not_reached' },
        { status: 'conflict', current: { notes: BASE.replace('pump', 'pump: theirs') } },
        { status: 'not_reached' },
      ],
    })
    expect(await stored(id)).toMatchObject({ title: 't', notes: BASE.replace('pump', 'pump: theirs') })
  })

  test('is merged for each change of a transaction, with what the person saw then', async () => {
    const id = await aVisit()
    await write(id, `notes = notes || E'\ntheirs'`)
    const more = mine.replace('hatch', 'hatch: mine')
    const answer = await world.upload(
      world.transaction(patch(id, { notes: mine }, { notes: BASE }), patch(id, { notes: more }, { notes: mine })),
    )
    expect(answer.status).toBe('applied')
    expect((await stored(id))?.['notes']).toBe(`${more}\ntheirs`)
  })

  test('does not stand in the answer, so that the next change made on the own version is merged as well', async () => {
    const id = await aVisit()
    await write(id, `notes = notes || E'\ntheirs'`)
    const answer = await world.upload(world.transaction(patch(id, { notes: mine }, { notes: BASE })))
    expect(answer.verdicts).toMatchObject([{ status: 'applied', now: {} }])
    expect(answer.verdicts[0]).not.toHaveProperty('now.notes')
    const more = mine.replace('hatch', 'hatch: mine')
    await world.upload(world.transaction(patch(id, { notes: more }, { notes: mine })))
    expect((await stored(id))?.['notes']).toBe(`${more}\ntheirs`)
  })

  test('is judged as it is written: what policies and constraints say of the merged text counts', async () => {
    const id = await aVisit()
    await write(id, `notes = notes || E'\nforbidden'`)
    const refused = await world.upload(world.transaction(patch(id, { notes: mine }, { notes: BASE })))
    expect(refused.verdicts).toMatchObject([{ status: 'error', sqlstate: '42501' }])
    await write(id, `state = 'closed', notes = 'other'`)
    const hidden = await world.upload(world.transaction(patch(id, { notes: mine }, { notes: BASE })))
    expect(hidden.verdicts).toMatchObject([{ status: 'conflict' }])
    expect((await stored(id))?.['notes']).toBe('other')
  })

  test('does not keep the record from being deleted', async () => {
    const id = await aVisit()
    await write(id, `notes = 'theirs'`)
    const answer = await world.upload(world.transaction({ type: 'visits', op: 'DELETE', id, old: { notes: BASE } }))
    expect(answer.status).toBe('applied')
  })

  test('of changes at the same moment keeps the lines of all', async () => {
    const id = await aVisit()
    const lines = ['pump', 'valve', 'hatch', 'ladder']
    const answers = await Promise.all(
      lines.map((line, index) => {
        const own = index % 2 === 0 ? BASE.replace(line, `${line}: ${index}`) : `${BASE}\nadded ${index}`
        const change = world.transaction(patch(id, { notes: own }, { notes: BASE }))
        return world.upload({ ...change, client_id: randomUUID() })
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(lines.map(() => 'applied'))
    const now = String((await stored(id))?.['notes']).split('\n')
    expect(now.slice(0, 5)).toEqual(['pump: 0', 'valve', 'hatch: 2', 'ladder', 'lamp'])
    expect(now.slice(5).toSorted()).toEqual(['added 1', 'added 3'])
  })
})

describe('which texts are merged', () => {
  test('is said by their names, or by the project', async () => {
    const id = await aVisit()
    const other = `${BASE}\ntheirs`
    const send = async (column: string) =>
      (await world.upload(world.transaction(patch(id, { [column]: mine }, { [column]: BASE })))).status
    await write(id, `notes = '${other}', plan = '${other}'`)
    expect(await send('plan')).toBe('refused')
    await run(`select sync.merge_lines('public.visits', '{plan}')`)
    expect(await send('plan')).toBe('applied')
    expect(await send('notes')).toBe('refused')
    await run(`select sync.guard_rows('public.visits', '{plan}')`)
    await write(id, `plan = '${other}'`)
    expect(await send('plan')).toBe('refused')
  })

  test('can be all that people write freely, not keys, references and lists of values', async () => {
    await run(`
      create table public.plans (code text primary key);
      insert into public.plans values ('${BASE}'), ('theirs'), ('mine');
      create table public.rounds (
        id uuid primary key, title text check (length(title) < 200), serial text unique, plan text references public.plans (code), size text check (size in ('${BASE}', 'theirs', 'mine'))
      );
      grant select, insert, update, delete on public.rounds to authenticated;
      select sync.merge_all_texts('public.rounds')`)
    const id = randomUUID()
    await run(`insert into public.rounds values ('${id}', '${BASE}', '${BASE}', '${BASE}', '${BASE}')`)
    await run(`update public.rounds set title = 'theirs', serial = 'theirs', plan = 'theirs', size = 'theirs'`)
    const send = async (column: string, old = BASE) =>
      (
        await world.upload(
          world.transaction({ type: 'rounds', op: 'PATCH', id, data: { [column]: 'mine' }, old: { [column]: old } }),
        )
      ).status
    expect(await send('title')).toBe('refused')
    expect(await send('title', 'theirs')).toBe('applied')
    // Devices do not send what they saw of the others; where they do, it is compared.
    const merged = await world.database.pool.query<{ column: string; merges: boolean }>(sql`
      select a.attname as column, ${declaredMerge(sql`'public.rounds'::regclass`)} as merges
        from pg_catalog.pg_attribute a where a.attrelid = 'public.rounds'::regclass and a.attnum > 0 order by a.attnum`)
    expect(merged.filter(({ merges }) => merges).map(({ column }) => column)).toEqual(['title'])
  })

  test('cannot be said of columns that are no texts, or not there', async () => {
    await expect(run(`select sync.merge_lines('public.visits', '{at_most}')`)).rejects.toMatchObject({ code: '42809' })
    await expect(run(`select sync.merge_lines('public.visits', '{nope}')`)).rejects.toMatchObject({ code: '42703' })
  })
})
