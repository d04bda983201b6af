import { pbkdf2Sync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// A public form from publishing to the record, over HTTP. server/test/public-forms.pg.test.ts covers permissions.

const PASSWORD = 'a password of hers'
let holdfast: Holdfast
let slug = ''
let form = ''
beforeAll(async () => {
  holdfast = await openHoldfast()
  const headers = {
    'content-type': 'application/json',
    apikey: holdfast.serviceRoleKey,
    authorization: `Bearer ${holdfast.serviceRoleKey}`,
  }
  await fetch(`${holdfast.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'olga@example.org', password: PASSWORD, email_confirm: true }),
  })
  const [made] = await holdfast.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', 'olga@example.org') as id`,
  )
  const olga = (await holdfast.supabase({ email: 'olga@example.org', password: PASSWORD })).schema('holdfast')
  const fields = [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'count', label: 'Count', kind: 'integer' },
    { name: 'seen_on', label: 'Seen on', kind: 'date' },
  ]
  const definition = { name: 'reports', label: 'Reports', access: { kind: 'members' }, fields }
  expect((await olga.rpc('create_table', { workspace: made?.id, definition })).error).toBeNull()
  const { data: view } = await olga
    .from('views')
    .insert({ table_name: 'reports', name: 'Report', type: 'form', scope: 'shared' })
    .select('id')
    .single()
  const { data, error } = await olga.rpc('publish_form', {
    workspace: made?.id,
    view: view?.id as string,
    table_name: 'reports',
    definition: {
      title: 'Report a leak',
      thanks: 'Thanks',
      questions: fields.map(({ name, label }) => ({ field: name, label })),
    },
  })
  expect(error).toBeNull()
  ;({ slug, id: form } = data as { slug: string; id: string })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const send = async (body: unknown, at = slug): Promise<readonly [number, unknown]> => {
  const response = await fetch(`${holdfast.url}/app/v1/forms/${at}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [response.status, ((await response.json()) as { code?: string }).code]
}
const records = (): Promise<readonly object[]> =>
  holdfast.admin.query(sql`select title, count::text, seen_on::text, created_by from public.reports order by title`)

test('a visitor reads the form, and an answer becomes a record once', async () => {
  const shown = await fetch(`${holdfast.url}/app/v1/forms/${slug}`)
  expect(await shown.json()).toMatchObject({
    title: 'Report a leak',
    workspace: 'Water',
    isOpen: true,
    questions: [{ field: 'title' }, {}, {}],
  })
  const answer = { id: randomUUID(), values: { title: 'Well 7', count: '3', seen_on: '2026-11-01' } }
  expect(await send(answer)).toEqual([201, undefined])
  expect(await send(answer)).toEqual([201, undefined])
  expect(await records()).toEqual([{ title: 'Well 7', count: '3', seen_on: '2026-11-01', created_by: null }])
})

test('anything else is refused with its reason, and adds nothing', async () => {
  const before = await records()
  const id = randomUUID()
  expect(await send({ id, values: { title: 'x', id } })).toEqual([400, 'invalid_request'])
  expect(await send({ id, values: { created_by: id } })).toEqual([400, 'invalid_request'])
  expect(await send({ id: 'mine', values: {} })).toEqual([400, 'invalid_request'])
  expect(await send({ id, values: { title: { deep: 1 } } })).toEqual([400, 'invalid_request'])
  expect(await send({ id, values: { count: 'many' } })).toEqual([422, 'value_refused'])
  expect(await send({ id, values: { title: 'x'.repeat(70_000) } })).toEqual([413, 'invalid_request'])
  expect(await send({ id, values: {} }, 'a'.repeat(22))).toEqual([404, 'form_not_found'])
  expect(await send({ id, values: {} }, `'; drop table reports; --`)).toEqual([404, 'form_not_found'])
  expect(await records()).toEqual(before)
})

test('a client with the public key cannot take the place of the form', async () => {
  const visitor = await holdfast.supabase()
  expect((await visitor.from('reports').insert({ title: 'direct' })).error?.code).toBe('42501')
  expect(
    (await visitor.schema('holdfast').rpc('begin_submission', { submission: randomUUID(), from_source: '\\x00' })).data,
  ).toBe('not_found')
})

test('a form with a captcha takes an answer with its own solved puzzle only', async () => {
  const change = (captcha: boolean): Promise<unknown> =>
    holdfast.admin.execute(
      sql`update holdfast.public_forms set definition = definition || ${JSON.stringify({ captcha })}::jsonb where id = ${form}`,
    )
  await change(true)
  const at = `${holdfast.url}/app/v1/forms/${slug}`
  expect(await (await fetch(at)).json()).toMatchObject({ captcha: 'work' })
  const id = randomUUID()
  const puzzle = (await (await fetch(`${at}/puzzle?id=${id}`)).json()) as Puzzle
  const captcha = { ...puzzle, solution: solve(puzzle) }
  const values = { title: 'checked' }
  expect(await send({ id, values })).toEqual([400, 'captcha_failed'])
  expect(await send({ id: randomUUID(), values, captcha })).toEqual([400, 'captcha_failed'])
  expect(await send({ id, values, captcha })).toEqual([201, undefined])
  expect(await holdfast.admin.query(sql`select id from public.reports where title = 'checked'`)).toEqual([{ id }])
  await change(false)
})

interface Puzzle {
  readonly salt: string
  readonly rounds: number
  readonly target: string
}

function solve({ salt, rounds, target }: Puzzle): number {
  for (let solution = 0; ; solution++)
    if (pbkdf2Sync(String(solution), Buffer.from(salt, 'hex'), rounds, 32, 'sha256').toString('hex') === target)
      return solution
}

test('a closed form shows no questions and takes no answers', async () => {
  await holdfast.admin.execute(sql`update holdfast.public_forms set is_open = false where id = ${form}`)
  expect(await (await fetch(`${holdfast.url}/app/v1/forms/${slug}`)).json()).toMatchObject({
    isOpen: false,
    questions: [],
  })
  expect(await send({ id: randomUUID(), values: { title: 'late' } })).toEqual([410, 'form_closed'])
})
