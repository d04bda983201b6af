import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/* Every template that comes with the app, loaded by the owner of a new server: its tables sync, its views fit, and it can be exported and removed. */

const OLGA = { email: 'olga@example.org', password: 'a password of hers' }
const FOLDER = fileURLToPath(new URL('../../../apps/workspace/public/templates/', import.meta.url))
const FILES = readdirSync(FOLDER).toSorted()

interface Field {
  readonly name: string
  readonly kind: string
}
interface Table {
  readonly key: string
  readonly label: string
  readonly fields: readonly Field[]
  readonly views?: readonly { readonly config: Readonly<Record<string, string>> }[]
  readonly records?: readonly object[]
}
interface Template {
  readonly tables: readonly Table[]
  readonly checklists?: readonly object[]
}
const read = (file: string): Template => JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as Template

let holdfast: Holdfast
let device: TestDevice
let workspace = ''

beforeAll(async () => {
  holdfast = await openHoldfast()
  const key = new URLSearchParams(new URL(holdfast.welcomeUrl ?? '').hash.slice(1)).get('owner') ?? ''
  await fetch(`${holdfast.url}/app/v1/owner`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, name: 'Olga', workspace: 'Works', ...OLGA }),
  })
  device = await openDevice(holdfast, OLGA)
  const [row] = await device.database.getAll<{ id: string }>('select id from hf_workspaces')
  workspace = row?.id ?? ''
})
afterAll(async () => {
  await device?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

/** Calls a function as the owner. @throws with the server's answer */
async function call<Result>(name: string, args: object): Promise<Result> {
  const { data, error } = await (await holdfast.supabase(OLGA)).schema('holdfast').rpc(name, args)
  if (error) throw new Error(`${name}: ${JSON.stringify(error)}`)
  return data as Result
}
const localNames = async (): Promise<readonly string[]> =>
  (await device.database.getAll<{ name: string }>(`select table_name as name from hf_tables order by 1`)).map(
    ({ name }) => name,
  )

test.each(FILES)('%s loads, and its views name fields of their table', async (file) => {
  const template = read(file)
  const loaded = await call<{ tables: readonly string[]; records: number }>('load_template', { workspace, template })
  expect(loaded.tables).toEqual(template.tables.map(({ key }) => key))
  for (const { key, fields, views = [] } of template.tables) {
    const names = new Set(fields.map(({ name }) => name))
    for (const { config } of views) {
      const { filter = '', form = '', sort = '', group = '', lane = '', date = '', span = '', point = '' } = config
      const used = [
        ...filter.matchAll(/[(,]([a-z_]+)\./g),
        ...`${form},${sort},${group},${lane},${date},${span},${point}`.matchAll(/(?:^|,)-?([a-z_]+)/g),
      ].map(([, name]) => name)
      expect(
        used.filter((name) => name !== undefined && !names.has(name)),
        key,
      ).toEqual([])
    }
  }
})

test('all tables and records of the templates reach the device of the owner', async () => {
  const templates = FILES.map(read)
  const tables = templates.flatMap((template) => template.tables)
  await expect.poll(localNames, { timeout: 20_000 }).toEqual(tables.map(({ key }) => key).toSorted())
  const samples = tables.reduce((sum, { records = [] }) => sum + records.length, 0)
  const missing = async (): Promise<unknown> => {
    const { data } = await (await holdfast.supabase(OLGA)).auth.getSession()
    const authorization = `Bearer ${data.session?.access_token}`
    const answer = await fetch(`${holdfast.url}/sync/v1/schema`, { headers: { authorization } })
    const { tables: synced } = (await answer.json()) as { tables: readonly { name: string }[] }
    return tables.filter(({ key }) => !synced.some(({ name }) => name === key)).map(({ key }) => key)
  }
  await expect.poll(missing, { timeout: 20_000 }).toEqual([])
  await using later = await openDevice(holdfast, OLGA)
  for (const { key, records = [] } of tables) {
    const rows = async (): Promise<number> => (await later.database.getAll(`select id from ${key}`)).length
    // Rows that were there before their table was followed arrive after it.
    await expect.poll(rows, { timeout: 20_000, message: key }).toBe(records.length)
  }
  const [row] = await device.database.getAll<{ samples: number }>(
    'select sum(sample_records) as samples from hf_template_loads',
  )
  expect(row).toEqual({ samples })
})

test('exported, they are one template with the same tables; removed, they leave nothing', async () => {
  const tables = FILES.flatMap((file) => read(file).tables)
  const { template, left_out } = await call<{ template: Template; left_out: unknown }>('export_template', {
    workspace,
    with_records: true,
  })
  expect(left_out).toEqual([])
  const shape = ({ label, fields, views = [], records = [] }: Table): unknown => ({
    label,
    fields: fields.map(({ name, kind }) => `${name} ${kind}`),
    views: views.map(({ config }) => config),
    records: records.length,
  })
  expect(new Map(template.tables.map((table) => [table.key, shape(table)]))).toEqual(
    new Map(tables.map((table) => [table.key, shape(table)])),
  )
  expect(template.checklists).toHaveLength(1)
  const loads = await device.database.getAll<{ id: string }>('select id from hf_template_loads')
  for (const { id } of loads) expect(await call('remove_template', { load: id })).toMatchObject({ kept: {} })
  await expect.poll(localNames, { timeout: 20_000 }).toEqual([])
  const left = sql`select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
  expect(await holdfast.admin.query(left)).toEqual([])
})
