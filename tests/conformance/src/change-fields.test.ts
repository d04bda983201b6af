import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/* Tables and their fields change while a device is offline with unsent edits: they are applied, or come back with a reason. */

const OLGA = { email: 'olga@example.org', password: 'a password of hers' }

interface Schema {
  readonly tables: readonly {
    readonly name: string
    readonly columns: readonly { readonly name: string; readonly computedDefault?: object }[]
  }[]
}

let holdfast: Holdfast
let olga: TestDevice
let workspace = ''

async function call(name: string, args: object): Promise<void> {
  const { error } = await (await holdfast.supabase(OLGA)).schema('holdfast').rpc(name, { workspace, ...args })
  if (error) throw new Error(`${name}: ${JSON.stringify(error)}`)
}
const change = (of: object): Promise<void> => call('change_table', { table_name: 'pumps', change: of })

beforeAll(async () => {
  holdfast = await openHoldfast()
  const key = new URLSearchParams(new URL(holdfast.welcomeUrl ?? '').hash.slice(1)).get('owner') ?? ''
  await fetch(`${holdfast.url}/app/v1/owner`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, name: 'Olga', workspace: 'Works', ...OLGA }),
  })
  const owner = await holdfast.supabase(OLGA)
  const { data } = await owner.schema('holdfast').from('workspaces').select('id').single()
  workspace = (data as { id: string } | null)?.id ?? ''
  const fields = ['title', 'cause', 'notes'].map((name) => ({ name, label: name, kind: 'text' }))
  await call('create_table', {
    definition: { name: 'pumps', label: 'Pumps', fields, access: { kind: 'members' } },
  })
  const { error } = await owner.from('pumps').insert({ title: 'Pump 1', cause: 'rust', notes: 'old' })
  if (error) throw error
  olga = await openDevice(holdfast, OLGA)
  await vi.waitUntil(() => olga.tables().includes('pumps'), { timeout: 20_000, interval: 100 })
  await olga.settle()
})
afterAll(async () => {
  await olga?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

test('unsent edits survive added and renamed fields; one of a deleted field comes back, and the field can be restored', async () => {
  await olga.goOffline()
  await olga.database.execute(`update pumps set cause = 'frost'`)
  await olga.database.execute(`update pumps set notes = 'lost?'`)
  await change({ kind: 'add_field', field: { name: 'depth', label: 'Depth', kind: 'number' } })
  await change({ kind: 'edit_field', field: 'cause', label: 'Root cause' })
  await change({ kind: 'delete_field', field: 'notes' })
  olga.goOnline()
  await vi.waitUntil(async () => (await olga.local.rejected.list()).length === 1, { timeout: 20_000, interval: 50 })
  expect(await olga.local.rejected.list()).toMatchObject([
    { verdict: { status: 'error', sqlstate: '42703' }, operations: [{ data: { notes: 'lost?' } }] },
  ])
  const server = await holdfast.supabase(OLGA)
  expect((await server.from('pumps').select('cause, depth')).data).toEqual([{ cause: 'frost', depth: null }])

  await change({ kind: 'restore_field', field: 'notes' })
  expect((await server.from('pumps').select('notes')).data).toEqual([{ notes: 'old' }])
})

test('unsent work for a deleted table comes back with a reason, and is sent again once the table is restored', async () => {
  await olga.local.rejected.list().then((all) => Promise.all(all.map(({ id }) => olga.local.rejected.discard(id))))
  await olga.goOffline()
  await olga.database.execute(`insert into pumps (id, title) values (uuid(), 'Pump 2')`)
  await change({ kind: 'delete_table' })
  olga.goOnline()
  await vi.waitUntil(async () => (await olga.local.rejected.list()).length === 1, { timeout: 20_000, interval: 50 })
  const [rejected] = await olga.local.rejected.list()
  expect(rejected).toMatchObject({
    verdict: { status: 'error', sqlstate: '42P01' },
    operations: [{ data: { title: 'Pump 2' } }],
  })
  await vi.waitUntil(() => !olga.tables().includes('pumps'), { timeout: 20_000, interval: 50 })

  await call('restore_table', { table_name: 'pumps' })
  await vi.waitUntil(() => olga.tables().includes('pumps'), { timeout: 20_000, interval: 50 })
  await olga.local.rejected.retry(rejected?.id ?? '')
  await olga.settle()
  const server = await holdfast.supabase(OLGA)
  expect((await server.from('pumps').select('title').order('title')).data).toEqual([
    { title: 'Pump 1' },
    { title: 'Pump 2' },
  ])
  expect(await olga.database.getAll('select title from pumps order by title')).toEqual([
    { title: 'Pump 1' },
    { title: 'Pump 2' },
  ])
})

test('unsent values of a field whose type changed are converted, or come back with a reason', async () => {
  await olga.database.execute(`update pumps set notes = '12' where title = 'Pump 1'`)
  await olga.settle()
  await olga.goOffline()
  await olga.database.execute(`update pumps set notes = '13' where title = 'Pump 1'`)
  await olga.database.execute(`update pumps set notes = '14 m' where title = 'Pump 2'`)
  await change({ kind: 'convert_field', field: 'notes', to: { kind: 'integer' }, rest: 'keep' })
  olga.goOnline()
  await vi.waitUntil(async () => (await olga.local.rejected.list()).length === 1, { timeout: 20_000, interval: 50 })
  expect(await olga.local.rejected.list()).toMatchObject([
    { verdict: { status: 'error', sqlstate: '22P02' }, operations: [{ data: { notes: '14 m' } }] },
  ])
  const server = await holdfast.supabase(OLGA)
  expect((await server.from('pumps').select('title, notes').order('title')).data).toEqual([
    { title: 'Pump 1', notes: 13 },
    { title: 'Pump 2', notes: null },
  ])
  const [rejected] = await olga.local.rejected.list()
  await olga.local.rejected.discard(rejected?.id ?? '')
  await olga.settle()
  await vi.waitUntil(
    async () =>
      JSON.stringify(await olga.database.getAll('select title, notes from pumps order by title')) ===
      JSON.stringify([
        { title: 'Pump 1', notes: 13 },
        { title: 'Pump 2', notes: null },
      ]),
    { timeout: 20_000, interval: 100 },
  )
})

test('unsent dates of a field that became a date with a time are carried over in the time zone of the workspace, and the reverse', async () => {
  const server = await holdfast.supabase(OLGA)
  const due = async (): Promise<unknown> => (await server.from('pumps').select('due').eq('title', 'Pump 1')).data
  await server.schema('holdfast').from('workspaces').update({ time_zone: 'Europe/Vienna' }).eq('id', workspace)
  await change({ kind: 'add_field', field: { name: 'due', label: 'Due', kind: 'date' } })
  await vi.waitUntil(
    async () =>
      (await olga.database.getAll(`select name from pragma_table_info('pumps')`)).some((one) =>
        JSON.stringify(one).includes('"due"'),
      ),
    { timeout: 20_000, interval: 50 },
  )
  await olga.goOffline()
  await olga.database.execute(`update pumps set due = '2026-03-01' where title = 'Pump 1'`)
  await change({ kind: 'convert_field', field: 'due', to: { kind: 'datetime' } })
  olga.goOnline()
  await olga.settle()
  expect(await due()).toEqual([{ due: '2026-02-28T23:00:00+00:00' }])

  await olga.goOffline()
  await olga.database.execute(`update pumps set due = '2026-03-05T23:30:00.000Z' where title = 'Pump 1'`)
  await change({ kind: 'convert_field', field: 'due', to: { kind: 'date', time: 'drop' } })
  olga.goOnline()
  await olga.settle()
  expect(await due()).toEqual([{ due: '2026-03-06' }])
  expect(await olga.local.rejected.list()).toEqual([])
})

test('unsent records and changes with a renamed option are written under its new name', async () => {
  const server = await holdfast.supabase(OLGA)
  await change({
    kind: 'add_field',
    field: { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'done'] },
  })
  await vi.waitUntil(
    async () =>
      (await olga.database.getAll(`select name from pragma_table_info('pumps')`)).some((one) =>
        JSON.stringify(one).includes('state'),
      ),
    { timeout: 20_000, interval: 100 },
  )
  await olga.goOffline()
  await olga.database.execute(`insert into pumps (id, title, state) values (uuid(), 'Pump 9', 'open')`)
  await olga.database.execute(`update pumps set state = 'open' where title = 'Pump 1'`)
  await change({ kind: 'edit_field', field: 'state', choices: ['To do', 'done'], renamed: { open: 'To do' } })
  olga.goOnline()
  await olga.settle()
  expect(await olga.local.rejected.list()).toEqual([])
  expect((await server.from('pumps').select('title, state').eq('state', 'To do').order('title')).data).toEqual([
    { title: 'Pump 1', state: 'To do' },
    { title: 'Pump 9', state: 'To do' },
  ])
})

test('a default that is computed reaches devices with its workspace, and one that is constant does not', async () => {
  const add = (name: string, kind: string): Promise<void> =>
    change({ kind: 'add_field', field: { name, label: name, kind } })
  const setDefault = (field: string, value: unknown): Promise<void> =>
    change({ kind: 'edit_field', field, default: value })
  await add('seen_on', 'date')
  await add('checked_at', 'datetime')
  await setDefault('seen_on', { computed: 'today' })
  await setDefault('checked_at', { computed: 'now' })
  await setDefault('title', 'New pump')
  const { data } = await (await holdfast.supabase(OLGA)).auth.getSession()
  const described = async (): Promise<unknown> => {
    const response = await fetch(`${holdfast.url}/sync/v1/schema`, {
      headers: { authorization: `Bearer ${data.session?.access_token}` },
    })
    const { tables } = (await response.json()) as Schema
    return tables
      .find(({ name }) => name === 'pumps')
      ?.columns.flatMap(({ name, computedDefault }) => (computedDefault ? [[name, computedDefault]] : []))
  }
  await expect.poll(described, { timeout: 20_000 }).toEqual([
    ['seen_on', { from: 'today', workspace }],
    ['checked_at', { from: 'now' }],
  ])
})
