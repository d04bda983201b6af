import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sql } from '@holdfast/postgres'
import { SCHEMA_PATH, UPLOAD_PATH, type SchemaDescriptor, type UploadResponse } from '@holdfast/protocol'
import { differences, openDevice, openHoldfast, type Holdfast } from '@holdfast/test-support'

/*
 * Exposed schemas are defined once: REST, the tables of a device, its streams and its uploads follow the same list, also when the database changes it.
 */

const ADA = { email: 'ada@shop.example', password: 'correct horse battery' }
const SHOP = `
  create schema shop;
  create table shop.items (id uuid primary key, label text not null);
  alter table shop.items enable row level security;
  create policy everybody on shop.items using (true) with check (true);
  grant usage on schema shop to authenticated;
  grant select, insert, update, delete on shop.items to authenticated;
`

let holdfast: Holdfast
let token: string

beforeAll(async () => {
  holdfast = await openHoldfast()
  const { data, error } = await (await holdfast.supabase()).auth.signUp(ADA)
  if (error) throw error
  token = data.session?.access_token ?? ''
  await run(SHOP)
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

const run = (text: string): Promise<unknown> => holdfast.admin.withClient((client) => client.query(text))

async function tablesOfDevices(): Promise<readonly string[]> {
  const answer = await fetch(`${holdfast.url}${SCHEMA_PATH}`, { headers: { authorization: `Bearer ${token}` } })
  return ((await answer.json()) as SchemaDescriptor).tables.map(({ name }) => name)
}

let position = 0

async function upload(label: string): Promise<UploadResponse> {
  const operation = { op_id: ++position, op: 'PUT', type: 'shop__items', id: randomUUID(), data: { label } }
  const answer = await fetch(`${holdfast.url}${UPLOAD_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: randomUUID(), position, operations: [operation] }),
  })
  return (await answer.json()) as UploadResponse
}

test('an unexposed schema is hidden from REST, devices and uploads', async () => {
  const supabase = await holdfast.supabase(ADA)
  expect((await supabase.schema('shop').from('items').select()).error).toMatchObject({ code: 'PGRST106' })
  expect(await tablesOfDevices()).not.toContain('shop__items')
  expect(await upload('unseen')).toMatchObject({ status: 'refused', verdicts: [{ sqlstate: '42P01' }] })
  expect(await holdfast.admin.query(sql`select from shop.items`)).toEqual([])
})

test('once exposed, it is available to REST, devices and uploads', async () => {
  await run(`alter role authenticator set pgrst.db_schemas = 'public, holdfast, shop'; notify pgrst, 'reload config'`)
  const supabase = await holdfast.supabase(ADA)
  await vi.waitFor(
    async () => {
      expect((await supabase.schema('shop').from('items').select()).error).toBeNull()
      expect(await tablesOfDevices()).toContain('shop__items')
    },
    { timeout: 60_000, interval: 200 },
  )
  expect(await upload('sent')).toMatchObject({ status: 'applied' })
  await using device = await openDevice(holdfast, ADA)
  await device.database.execute(`insert into shop__items (id, label) values (uuid(), 'written here')`)
  await device.settle()
  expect(await differences(device, ['shop__items'])).toEqual([])
  const { data } = await supabase.schema('shop').from('items').select('label').order('label')
  expect(data).toEqual([{ label: 'sent' }, { label: 'written here' }])
})
