import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { differences, openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * Policies, grants and columns change while devices are connected. Once a device has passed the change, it holds exactly what the new rules let its
 * user select: without a restart, and without ever showing too much.
 */

let holdfast: Holdfast
let devices: readonly TestDevice[]

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  const stranger = { email: 'stranger@northline.example', password: 'nobody knows me' }
  const { error } = await (await holdfast.supabase()).auth.signUp(stranger)
  if (error) throw error
  const opened: TestDevice[] = []
  for (const account of [
    stranger,
    { email: 'mina.kaya@northline.example' },
    { email: 'sam.reyes@northline.example' },
    { email: 'tomas.lindgren@northline.example' },
  ])
    opened.push(await openDevice(holdfast, account))
  devices = opened
})

afterAll(async () => {
  await Promise.all((devices ?? []).map((device) => device[Symbol.asyncDispose]()))
  await holdfast?.[Symbol.asyncDispose]()
})

async function change(text: string): Promise<void> {
  await holdfast.admin.withClient((client) => client.query(text))
}

async function expectEquality(tables?: readonly string[]): Promise<void> {
  const knowAll = (): boolean =>
    devices.every((device) => (tables ?? []).every((table) => device.tables().includes(table)))
  // Devices learn of new tables shortly after the rows.
  for (let isKnown = false; !isKnown; isKnown = knowAll()) {
    await vi.waitFor(() => expect(knowAll()).toBe(true), { timeout: 60_000 })
    await Promise.all(devices.map((device) => device.settle()))
  }
  const told: string[] = []
  for (const device of devices) told.push(...(await differences(device, tables)))
  expect(told).toEqual([])
}

/** Reconnects until each device has compiled the change: devices learn of new tables and columns when they connect. */
async function reconnectAll(isNew: (device: TestDevice) => boolean): Promise<void> {
  for (const device of devices) {
    await vi.waitFor(
      async () => {
        await device.goOffline()
        device.goOnline()
        await vi.waitFor(() => expect(isNew(device)).toBe(true), { timeout: 2_000, interval: 20 })
      },
      { timeout: 60_000 },
    )
  }
}

/** A device may already know that it has no such table, or learn it during the query. */
async function expectNoPhotos(): Promise<void> {
  for (const device of devices) {
    if (!device.tables().includes('photos')) continue
    const rows = await device.localRows('photos').catch((error: unknown) => {
      if (error instanceof Error && error.message === 'no such table: photos') return undefined
      throw error
    })
    expect(rows?.size ?? 0).toBe(0)
  }
}

/** After a series of changes, a table that is new to devices arrives as a whole once they have ended. */
async function untilPhotos(): Promise<void> {
  await vi.waitFor(
    async () => {
      const rows = await devices[1]?.localRows('photos').catch(() => undefined) // there may be no such table yet
      expect(rows?.size ?? 0).toBeGreaterThan(0)
    },
    { timeout: 60_000 },
  )
}

const hasColumn = (device: TestDevice, table: string, column: string): boolean =>
  device.table(table).columns.some(({ name }) => name === column)

describe('schema changes while devices are connected', () => {
  // Cases without a list compare all tables, which finds what changes still in force break in other tables.
  test.each<[title: string, text: string, tables?: readonly string[]]>([
    [
      'a policy that shows more rows',
      `create policy test_a on public.assets for select to authenticated using (criticality = 'A')`,
      ['assets'],
    ],
    [
      'a policy by membership',
      `create policy test_b on public.assets for select to authenticated
         using (exists (select 1 from public.people p where p.user_id = auth.uid() and p.kind = 'contractor'
                         and exists (select 1 from public.actions a where a.contractor_id = p.contractor_id and a.site_id = assets.site_id)))`,
      ['assets'],
    ],
    [
      'a changed condition of a policy',
      `alter policy test_a on public.assets using (criticality = 'B' and installed_on is not null)`,
      ['assets'],
    ],
    [
      'a restrictive policy',
      `create policy test_c on public.actions as restrictive for select to authenticated using (state <> 'open')`,
      ['actions'],
    ],
    [
      'a restrictive policy that reads the token',
      `create policy test_d on public.sites as restrictive for select using (auth.email() not like 'tomas%' or hazard_level < 2)`,
    ],
    ['a policy for another role', `create policy test_e on public.assets for select to anon using (true)`, ['assets']],
    ['a renamed policy', `alter policy test_a on public.assets rename to test_f`, ['assets']],
    [
      'several changes in one transaction',
      `begin; drop policy test_c on public.actions; update public.actions set title = 'while policies change' where priority = 1;
       create policy test_c on public.actions as restrictive for select to authenticated using (state <> 'doing');
       update public.sites set region_id = (select id from public.regions order by code limit 1) where hazard_level = 1; commit`,
    ],
    [
      'a function that a policy calls',
      `create or replace function public.my_region_ids() returns setof uuid language sql stable security definer set search_path = '' as $$
        select r.id from holdfast.team_members m join holdfast.teams t on t.id = m.team_id join public.regions r on r.code >= t.area where m.user_id = auth.uid() $$`,
    ],
    [
      'dropped policies',
      `drop policy test_f on public.assets; drop policy test_b on public.assets; drop policy test_c on public.actions; drop policy test_d on public.sites; drop policy test_e on public.assets`,
    ],
  ])('%s', async (_title, text, tables) => {
    await change(text)
    await expectEquality(tables)
  })

  test('a grant revoked and restored', async () => {
    await change('revoke select on public.photos from authenticated')
    await Promise.all(devices.map((device) => device.settle()))
    await expectNoPhotos()
    await change('grant select on public.photos to authenticated')
    await untilPhotos()
    await expectEquality(['photos'])
  })

  test('row-level security disabled and re-enabled', async () => {
    await change('alter table public.photos disable row level security')
    await Promise.all(devices.map((device) => device.settle()))
    await expectNoPhotos()
    await change('alter table public.photos enable row level security')
    await untilPhotos()
    await expectEquality(['photos'])
  })

  test('a new column, with its values', async () => {
    await change(`alter table public.sites add column test_extra text default 'as it was'`)
    await reconnectAll((device) => hasColumn(device, 'sites', 'test_extra'))
    await change(`update public.sites set test_extra = 'changed' where hazard_level = 0`)
    await expectEquality(['sites'])
    const values = [...((await devices[1]?.localRows('sites')) ?? new Map()).values()].map((row) => row['test_extra'])
    expect(new Set(values)).toEqual(new Set(['as it was', 'changed']))
  })

  test('a column renamed, retyped and dropped', async () => {
    await change(`alter table public.sites add column test_number integer default 7`)
    await reconnectAll((device) => hasColumn(device, 'sites', 'test_number'))
    await expectEquality(['sites'])
    await change(
      `alter table public.sites rename column test_number to test_renamed; alter table public.sites alter column test_renamed type text using 'n' || test_renamed`,
    )
    await reconnectAll((device) => hasColumn(device, 'sites', 'test_renamed'))
    await expectEquality(['sites'])
    await change(`alter table public.sites drop column test_renamed`)
    await reconnectAll((device) => !hasColumn(device, 'sites', 'test_renamed'))
    await expectEquality(['sites'])
  })

  test('a table created and dropped', async () => {
    await change(`create table public.test_things (id uuid primary key default gen_random_uuid(), owner uuid, n int);
      alter table public.test_things enable row level security;
      insert into public.test_things (owner, n) select id, n from auth.users, generate_series(1, 3) n;
      create policy own on public.test_things for select to authenticated using (owner = auth.uid())`)
    await reconnectAll((device) => device.tables().includes('test_things'))
    await expectEquality(['test_things'])
    for (const device of devices) expect((await device.localRows('test_things')).size).toBe(3)
    await change('drop table public.test_things')
    await reconnectAll((device) => !device.tables().includes('test_things'))
    await expectEquality()
  })

  test('TRUNCATE', async () => {
    await change('truncate public.photos')
    await expectEquality(['photos'])
    await change(`insert into public.photos (finding_id) select id from public.findings`)
    await expectEquality(['photos'])
  })
})
