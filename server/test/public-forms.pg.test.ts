import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { runAs, sql } from '@holdfast/postgres'
import { VisitorFiles } from '../src/workspaces/forms/files/visitor-files.ts'
import { ADAM, anonymous, EDDA, OLGA, openPeopleWorld, type PeopleWorld } from './people-world.ts'

// Who may publish a form of a table, and what visitors can add through it. That it is served: tests/conformance/src/public-forms.test.ts.

let world: PeopleWorld
beforeAll(async () => {
  world = await openPeopleWorld()
})
beforeEach(async () => {
  await world.reset()
  await world.database.pool.execute(sql`drop table if exists public.reports cascade`)
  await world.asked(
    ADAM,
    sql`select holdfast.create_table(${world.workspace}, ${JSON.stringify({
      name: 'reports',
      label: 'Reports',
      access: { kind: 'members' },
      fields: [
        { name: 'title', label: 'Title', kind: 'text' },
        { name: 'count', label: 'Count', kind: 'integer' },
        { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'done'] },
        { name: 'team_id', label: 'Team', kind: 'link', table: 'hf_teams' },
        { name: 'place', label: 'Place', kind: 'location' },
      ],
    })}::jsonb)`,
  )
})
afterAll(() => world[Symbol.asyncDispose]())

async function addView(): Promise<string> {
  const [view] = await world.asked<{ id: string }>(
    ADAM,
    sql`insert into holdfast.views (table_name, name, type, scope, workspace_id) values ('reports', 'Report', 'form', 'shared', ${world.workspace}) returning id`,
  )
  return view?.id ?? ''
}

interface Published {
  readonly id: string
  readonly slug: string
}

async function publish(who: string, view: string, ...fields: readonly string[]): Promise<Published> {
  const definition = JSON.stringify({ title: 'Report', questions: fields.map((field) => ({ field })) })
  const [row] = await world.asked<{ form: Published }>(
    who,
    sql`select holdfast.publish_form(${world.workspace}, ${view}, 'reports', ${definition}::jsonb) as form`,
  )
  return row?.form ?? { id: '', slug: '' }
}

/** Adds a record as the server does for a visitor. */
const add = (form: string | undefined, columns: string, values: string): Promise<number> =>
  runAs(world.database.requestPool, { role: 'anon', claims: { role: 'anon', ...(form && { form_id: form }) } }, (tx) =>
    tx.execute(sql.trusted(`insert into public.reports (${columns}) values (${values})`)),
  )

const begin = async (form: string, submission: string): Promise<unknown> => {
  const session = { role: 'anon', claims: { role: 'anon', form_id: form } }
  const [row] = await runAs(world.database.requestPool, session, (tx) =>
    tx.query<{ outcome: string }>(
      sql`select holdfast.begin_submission(${submission}, ${Buffer.from('here')}) as outcome`,
    ),
  )
  return row?.outcome
}

test('visitors set the asked columns of one table, through an open form only', async () => {
  const form = await publish(ADAM, await addView(), 'title', 'state')
  await expect(add(undefined, 'title', `'no form'`)).rejects.toThrow('row-level security')
  await expect(add(OLGA, 'title', `'another id'`)).rejects.toThrow('row-level security')
  await expect(add(form.id, 'title, count', `'more', 1`)).rejects.toMatchObject({ code: '42501' })
  await expect(add(form.id, 'title, created_by', `'as Olga', '${OLGA}'`)).rejects.toMatchObject({ code: '42501' })
  await expect(add(form.id, 'title, state', `'x', 'lost'`)).rejects.toMatchObject({ code: '23514' })
  await add(form.id, 'title, state', `'a leak', 'open'`)
  const visitor = { role: 'anon', claims: { role: 'anon', form_id: form.id } }
  expect(await world.asked(visitor, sql`select * from public.reports`), 'visitors read nothing').toEqual([])
  expect(await world.asked(EDDA, sql`select title, created_by from public.reports`)).toEqual([
    { title: 'a leak', created_by: null },
  ])

  await world.asked(OLGA, sql`select holdfast.close_form(${form.id})`)
  await expect(add(form.id, 'title', `'late'`)).rejects.toMatchObject({ code: '42501' })
  expect(await begin(form.id, crypto.randomUUID())).toBe('closed')
})

test('visitors say where something is', async () => {
  const form = await publish(ADAM, await addView(), 'title', 'place')
  await add(form.id, 'title, place', `'a leak', '(13.405,52.52)'`)
  await expect(add(form.id, 'title, place', `'x', '(200,0)'`)).rejects.toMatchObject({ code: '23514' })
  expect(await world.asked(EDDA, sql`select place::text as place from public.reports`)).toEqual([
    { place: '(13.405,52.52)' },
  ])
})

test('two forms of a table ask for their own columns, and one can close without the other', async () => {
  const [one, two] = [await publish(ADAM, await addView(), 'title'), await publish(ADAM, await addView(), 'count')]
  await world.asked(ADAM, sql`select holdfast.close_form(${one.id})`)
  await add(two.id, 'count', '3')
  await expect(add(two.id, 'title', `'x'`)).rejects.toMatchObject({ code: '42501' })
})

test('a form asks for a field again that was deleted and restored', async () => {
  const form = await publish(ADAM, await addView(), 'title', 'count')
  const change = (kind: string): Promise<unknown> =>
    world.asked(
      ADAM,
      sql`select holdfast.change_table(${world.workspace}, 'reports', ${JSON.stringify({ kind, field: 'count' })}::jsonb)`,
    )
  await change('delete_field')
  await expect(add(form.id, 'title, count', `'gone', 1`)).rejects.toMatchObject({ code: '42703' })
  await add(form.id, 'title', `'without'`)
  await change('restore_field')
  await add(form.id, 'title, count', `'again', 1`)
})

test('files are asked for with bounds, of fields that have files', async () => {
  await world.asked(
    ADAM,
    sql`select holdfast.change_table(${world.workspace}, 'reports', ${JSON.stringify({
      kind: 'add_field',
      field: { name: 'photos', label: 'Photos', kind: 'attachment' },
    })}::jsonb)`,
  )
  const view = await addView()
  const ask = (...questions: readonly object[]): Promise<unknown> =>
    world.asked(
      ADAM,
      sql`select holdfast.publish_form(${world.workspace}, ${view}, 'reports', ${JSON.stringify({ title: 'Report', questions })}::jsonb)`,
    )
  const files = { max: 5, megabytes: 10, kinds: 'any' }
  for (const question of [
    { field: 'photos' },
    { field: 'photos', kind: 'text' },
    { field: 'title', kind: 'files', files },
  ])
    await expect(ask(question), JSON.stringify(question)).rejects.toMatchObject({ hint: 'public_form.field' })
  for (const wrong of [
    undefined,
    { ...files, max: 11 },
    { ...files, megabytes: 26 },
    { ...files, kinds: 'x' },
    { ...files, more: 1 },
  ])
    await expect(ask({ field: 'photos', kind: 'files', files: wrong }), JSON.stringify(wrong)).rejects.toMatchObject({
      hint: 'public_form.files',
    })
  await ask({ field: 'photos', kind: 'files', files })
  await world.asked(
    ADAM,
    sql`select holdfast.change_table(${world.workspace}, 'reports', ${JSON.stringify({
      kind: 'add_field',
      field: { name: 'signed', label: 'Signed', kind: 'signature' },
    })}::jsonb)`,
  )
  const signature = { max: 1, megabytes: 1, kinds: 'photos' }
  for (const wrong of [undefined, files, { ...signature, max: 2 }, { ...signature, kinds: 'any' }])
    await expect(ask({ field: 'signed', kind: 'files', files: wrong }), JSON.stringify(wrong)).rejects.toMatchObject({
      hint: 'public_form.field',
    })
  await ask({ field: 'signed', kind: 'files', files: signature })
})

describe('files of answers', () => {
  const announce = async (form: string, submission: string, files: readonly object[]): Promise<unknown> => {
    const [row] = await world.database.pool.query<{ outcome: string }>(sql`
      select holdfast.begin_form_files(${form}, ${submission}, ${Buffer.from('here')}, ${JSON.stringify(files)}::jsonb) as outcome`)
    return row?.outcome
  }
  const file = (size = 1_000) => ({
    id: crypto.randomUUID(),
    field: 'photos',
    name: 'a.jpg',
    media_type: 'image/jpeg',
    size,
  })

  test('are bounded per network, and forgotten when the answer never comes', async () => {
    const form = await publish(ADAM, await addView(), 'title')
    expect(await announce(form.id, crypto.randomUUID(), [file()])).toBe('begun')
    expect(await announce(OLGA, crypto.randomUUID(), [file()])).toBe('closed')
    expect(await announce(form.id, crypto.randomUUID(), [file(501 * 1_048_576)])).toBe('too_many')
    await world.database.pool.execute(sql`delete from holdfast.form_files where size > 1000`)
    expect(
      await announce(
        form.id,
        crypto.randomUUID(),
        Array.from({ length: 150 }, () => file()),
      ),
    ).toBe('too_many')
    const count = async (): Promise<unknown> =>
      (await world.database.pool.query(sql`select count(*)::int from holdfast.form_files`))[0]
    expect(await count()).toEqual({ count: 151 })
    await world.database.pool.execute(sql`update holdfast.form_files set created_at = now() - interval '25 hours'`)
    await world.database.pool.execute(sql`select holdfast.forget_form_files()`)
    expect(await count()).toEqual({ count: 0 })
  })

  test('change with the answer until it is sent, and belong to it alone', async () => {
    const form = await publish(ADAM, await addView(), 'title')
    const submission = crypto.randomUUID()
    const [kept, removed] = [file(), file()]
    await announce(form.id, submission, [kept, removed])
    expect(await announce(form.id, submission, [kept])).toBe('begun')
    expect(await world.database.pool.query(sql`select id from holdfast.form_files`)).toEqual([{ id: kept.id }])
    expect(await announce(form.id, crypto.randomUUID(), [kept])).toBe('repeated')
    await begin(form.id, submission)
    expect(await announce(form.id, submission, [kept])).toBe('repeated')
  })

  test('arrive in pieces on any server, and one of the servers stores them', async () => {
    const form = await publish(ADAM, await addView(), 'title')
    const submission = crypto.randomUUID()
    const { pool } = world.database
    const stored: Buffer[] = []
    const open = (): VisitorFiles =>
      new VisitorFiles({
        pool,
        records: {
          store: async (_path, file) => void stored.push(await buffer(file.bytes)),
          remove: () => Promise.resolve(),
        },
        freeBytes: () => Promise.resolve(Infinity),
        logger: silentLogger,
      })
    await using one = open()
    await using other = open()
    const bytes = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(150_000)])
    const photo = file(bytes.length)
    await announce(form.id, submission, [photo])
    const append = (server: VisitorFiles, offset: number, size: number): Promise<number> =>
      server.append(form.slug, photo.id, offset, bytes.subarray(offset, offset + size))

    // The same piece on both servers at once, as when the first answer is lost.
    expect(await Promise.all([append(one, 0, 70_000), append(other, 0, 70_000)])).toEqual([70_000, 70_000])
    expect(await append(other, 50_000, 70_000)).toBe(70_000)
    await expect(append(one, 70_000, 10)).rejects.toMatchObject({ code: 'file_refused' })
    await expect(one.requireComplete(await one.find(form.id, submission))).rejects.toMatchObject({
      code: 'files_incomplete',
    })
    expect(await append(one, 70_000, 100_000)).toBe(bytes.length)
    await other.requireComplete(await other.find(form.id, submission))

    await pool.execute(sql`update holdfast.form_files set path = 'p' where id = ${photo.id}`)
    await Promise.all([one.storeSent(), other.storeSent()])
    expect(stored.map((all) => all.equals(bytes))).toEqual([true])
    expect(await pool.query(sql`select 1 from holdfast.form_file_parts`)).toEqual([])
  })
})

test('the policy of a form is no rule of access: rules stay readable beside it, and changing them leaves it', async () => {
  const form = await publish(ADAM, await addView(), 'title')
  const kind = async (): Promise<unknown> =>
    (
      await world.asked<{ kind: string }>(
        ADAM,
        sql`select holdfast.access_of(${world.workspace}, 'reports') ->> 'kind' as kind`,
      )
    )[0]?.kind
  expect(await kind()).toBe('rules')
  const rules = JSON.stringify({ see: [{ role: 'viewer', scope: 'all' }], add: [], change: [], delete: [] })
  await world.asked(ADAM, sql`select holdfast.set_access(${world.workspace}, 'reports', ${rules}::jsonb)`)
  expect(await kind()).toBe('rules')
  await add(form.id, 'title', `'still open'`)
})

test('only admins publish, forms of tables that the workspace created, asking for plain values', async () => {
  const view = await addView()
  await expect(publish(EDDA, view, 'title')).rejects.toMatchObject({ hint: 'people.not_admin' })
  for (const field of ['team_id', 'id', 'created_by', 'nothing', 'title"; drop table x'])
    await expect(publish(ADAM, view, field), field).rejects.toMatchObject({ hint: 'public_form.field' })
  await expect(publish(ADAM, view)).rejects.toMatchObject({ hint: 'public_form.definition' })
  await expect(publish(ADAM, OLGA, 'title')).rejects.toMatchObject({ hint: 'public_form.view' })
  await world.database.pool.execute(sql`alter table public.reports add column must integer not null`)
  await expect(publish(ADAM, view, 'title')).rejects.toMatchObject({ hint: 'public_form.missing' })
  await world.database.pool.execute(sql`update holdfast.tables set workspace_id = null where table_name = 'reports'`)
  await expect(publish(ADAM, view, 'title')).rejects.toMatchObject({ hint: 'public_form.table' })
})

test('a submission counts once, and one source cannot flood a form', async () => {
  const form = await publish(ADAM, await addView(), 'title')
  const first = crypto.randomUUID()
  expect([await begin(form.id, first), await begin(form.id, first)]).toEqual(['begun', 'repeated'])
  for (let n = 1; n < 30; n++) await begin(form.id, crypto.randomUUID())
  expect(await begin(form.id, crypto.randomUUID())).toBe('too_many')
  expect(await world.asked(ADAM, sql`select submissions from holdfast.public_forms`)).toEqual([{ submissions: 30 }])
  expect(await world.asked(EDDA, sql`select submissions from holdfast.public_forms`)).toEqual([])
  await expect(world.asked(anonymous, sql`select holdfast.read_form(${form.slug})`)).rejects.toMatchObject({
    code: '42501',
  })
})
