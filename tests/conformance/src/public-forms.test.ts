import { pbkdf2Sync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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
    { name: 'photos', label: 'Photos', kind: 'attachment' },
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
      questions: fields.map(({ name, label, kind }) => ({
        field: name,
        label,
        ...(kind === 'attachment' && { kind: 'files', files: { max: 2, megabytes: 2, kinds: 'photos' } }),
      })),
    },
  })
  expect(error).toBeNull()
  ;({ slug, id: form } = data as { slug: string; id: string })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const created = (): Promise<readonly object[]> =>
  holdfast.admin.query(
    sql`select name, media_type, size::int, uploaded_at is not null as is_stored, created_by from public.reports_files`,
  )

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
    questions: [{ field: 'title' }, {}, {}, { kind: 'files' }],
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

describe('files', () => {
  const at = (): string => `${holdfast.url}/app/v1/forms/${slug}`
  const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(300_000, 7)])
  const photo = (given: object = {}) => ({
    id: randomUUID(),
    field: 'photos',
    name: 'leak.jpg',
    type: 'image/jpeg',
    size: JPEG.length,
    ...given,
  })
  const json = { 'content-type': 'application/json' }
  const begin = async (id: string, ...files: readonly object[]): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${at()}/files`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ id, files }),
    })
    return [response.status, await response.json()]
  }
  const put = async (id: string, from: number, bytes: Buffer): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${at()}/files/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/octet-stream', 'upload-offset': String(from) },
      body: new Uint8Array(bytes),
    })
    return [response.status, await response.json()]
  }

  test('arrive in pieces, also after a break, and are files of the record', async () => {
    const [id, one] = [randomUUID(), photo()]
    expect(await begin(id, one)).toEqual([200, { offsets: { [one.id]: 0 } }])
    expect(await put(one.id, 0, JPEG.subarray(0, 100_000))).toEqual([200, { offset: 100_000 }])
    expect(await put(one.id, 0, JPEG.subarray(0, 100_000)), 'a repeated piece').toEqual([200, { offset: 100_000 }])
    expect(await put(one.id, 200_000, JPEG.subarray(200_000)), 'a piece too far').toEqual([200, { offset: 100_000 }])
    expect(await send({ id, values: { title: 'Leak' } })).toEqual([409, 'files_incomplete'])
    expect(await begin(id, one)).toEqual([200, { offsets: { [one.id]: 100_000 } }])
    expect(await put(one.id, 100_000, JPEG.subarray(100_000))).toEqual([200, { offset: JPEG.length }])
    expect(await send({ id, values: { title: 'Leak' } })).toEqual([201, undefined])
    expect(await send({ id, values: { title: 'Leak' } }), 'a repeated answer').toEqual([201, undefined])
    await vi.waitFor(async () =>
      expect(await created()).toEqual([
        { name: 'leak.jpg', media_type: 'image/jpeg', size: JPEG.length, is_stored: true, created_by: form },
      ]),
    )
    expect(await holdfast.admin.query(sql`select photos from public.reports where id = ${id}`)).toEqual([
      { photos: 'leak.jpg' },
    ])
    expect(await begin(id, photo()), 'an answer that was sent').toMatchObject([409, { code: 'answer_sent' }])
    expect(await put(one.id, 0, JPEG)).toMatchObject([404, { code: 'file_not_found' }])
  })

  test('are read by members who see the record, and by nobody else', async () => {
    const [file] = await holdfast.admin.query<{ path: string }>(sql`select path from public.reports_files`)
    const path = file?.path ?? ''
    const olga = await holdfast.supabase({ email: 'olga@example.org', password: PASSWORD })
    const { data } = await olga.storage.from('record-files').download(path)
    expect(Buffer.from(await (data as Blob).arrayBuffer()).equals(JPEG)).toBe(true)
    const visitor = await holdfast.supabase()
    expect((await visitor.storage.from('record-files').download(path)).error).not.toBeNull()
    expect((await visitor.storage.from('record-files').list(form)).data ?? []).toEqual([])
    expect((await visitor.storage.from('record-files').upload(path, JPEG, { upsert: true })).error).not.toBeNull()
    expect((await visitor.storage.from('record-files').upload(`${form}/new.jpg`, JPEG)).error).not.toBeNull()
    expect((await visitor.from('reports_files').select()).data ?? []).toEqual([])
    expect((await visitor.schema('holdfast').rpc('add_form_files', { of_submission: randomUUID() })).error).toBeNull()
    for (const name of ['form_files', 'form_file_parts', 'form_submissions'])
      expect((await visitor.schema('holdfast').from(name).select()).error?.code, name).toBe('42501')
  })

  test('that are too large, too many, of another kind or of another form are refused with the reason', async () => {
    const id = randomUUID()
    const reason = async (...files: readonly object[]): Promise<unknown> => (await begin(id, ...files))[1]
    expect(await reason(photo({ size: 3_000_000 }))).toMatchObject({ message: 'leak.jpg is larger than 2 MB.' })
    expect(await reason(photo(), photo(), photo())).toMatchObject({ message: 'Photos takes 2 files at most.' })
    expect(await reason(photo({ type: 'text/html' }))).toMatchObject({ message: 'leak.jpg is not a photo.' })
    expect(await reason(photo({ field: 'title' }))).toMatchObject({ code: 'invalid_request' })
    expect(await send({ id, values: { photos: 'x' } })).toEqual([400, 'invalid_request'])

    const page = Buffer.from('<html><script>alert(1)</script></html>')
    const disguised = photo({ size: page.length })
    await begin(id, disguised)
    expect(await put(disguised.id, 0, page)).toMatchObject([422, { code: 'file_refused' }])
    const small = photo({ size: 10 })
    await begin(id, small)
    expect(await put(small.id, 0, JPEG)).toMatchObject([422, { message: 'leak.jpg is larger than announced.' }])
    expect(await begin(randomUUID(), small), 'a file of another answer').toMatchObject([409, {}])
    expect(await put(randomUUID(), 0, JPEG)).toMatchObject([404, {}])
    expect(await put('../../x', 0, JPEG)).toMatchObject([404, {}])
    expect(await put(small.id, -1, JPEG)).toMatchObject([400, {}])
    expect(await put(small.id, 0, Buffer.alloc(3_000_000))).toMatchObject([413, {}])
  })
})

test('a closed form shows no questions and takes no answers', async () => {
  await holdfast.admin.execute(sql`update holdfast.public_forms set is_open = false where id = ${form}`)
  expect(await (await fetch(`${holdfast.url}/app/v1/forms/${slug}`)).json()).toMatchObject({
    isOpen: false,
    questions: [],
  })
  expect(await send({ id: randomUUID(), values: { title: 'late' } })).toEqual([410, 'form_closed'])
})
