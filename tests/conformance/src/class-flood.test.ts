import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openDevice, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'

/*
 * One user fills a table with distinct values through supabase-js, also by a function that impersonates another user. Other users' rows still
 * reach every device, and the operator sees which user caused it.
 */

const MINA = 'mina.kaya@northline.example'
const SAM = 'sam.reyes@northline.example'
const SHARE = 5
/** The client kit polls every 30 s. */
const ASKED = { timeout: 90_000 }

let holdfast: Holdfast
let device: TestDevice
/** The flooding user's device. */
let own: TestDevice

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true, args: [`--sync-classes-per-person-max=${SHARE}`] })
  await holdfast.admin.execute(
    sql.trusted(`
    create table public.offers (id uuid primary key default gen_random_uuid(), title text, price int not null);
    alter table public.offers enable row level security;
    create function public.my_budget() returns int language plpgsql stable as $$ begin return 1000000; end $$;
    create policy affordable on public.offers for select to authenticated using (price <= public.my_budget());
    create policy add on public.offers for insert to authenticated with check (true);
    grant select, insert on public.offers to authenticated;
    create function public.add_offer(as_whom text, price int) returns void language plpgsql as $$
    begin
      perform pg_logical_emit_message(true, 'holdfast:author', as_whom);
      insert into public.offers (title, price) values ('by a function', price);
    end $$;
    notify pgrst, 'reload schema'`),
  )
  device = await openDevice(holdfast, { email: SAM })
  own = await openDevice(holdfast, { email: MINA })
})

afterAll(async () => {
  await device?.[Symbol.asyncDispose]()
  await own?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

const titles = async (): Promise<string> =>
  (await device.database.getAll<{ title: string }>('select title from offers order by title'))
    .map(({ title }) => title)
    .join()

test('a user who fills a table with distinct values does not affect other users', { timeout: 300_000 }, async () => {
  const mina = await holdfast.supabase({ email: MINA })
  const sam = await holdfast.supabase({ email: SAM })
  const minaId = (await mina.auth.getUser()).data.user?.id ?? ''
  const samId = (await sam.auth.getUser()).data.user?.id ?? ''
  for (let price = 1; price <= SHARE - 1; price++)
    expect((await mina.from('offers').insert({ title: 'by mina', price })).error).toBeNull()
  for (let price = 100; price < 105; price++)
    expect((await mina.rpc('add_offer', { as_whom: samId, price })).error).toBeNull()
  expect((await sam.from('offers').insert({ title: 'by sam', price: 500 })).error).toBeNull()

  const wanted = ['by a function', ...Array.from({ length: SHARE - 1 }, () => 'by mina'), 'by sam'].join()
  await expect.poll(titles).toBe(wanted)
  const status = await fetch(`${holdfast.url}/sync/v1/status`, {
    headers: { authorization: `Bearer ${holdfast.serviceRoleKey}` },
  })
  expect(await status.json()).toMatchObject({
    leftOutClasses: [{ table: 'public.offers', authors: [{ author: minaId, leftOut: 4 }] }],
  })
  const health = async (key?: string): Promise<{ readonly problem?: string }> => {
    const headers: Record<string, string> = key === undefined ? {} : { apikey: key }
    return (await (await fetch(`${holdfast.url}/health`, { headers })).json()) as { problem?: string }
  }
  expect((await health(holdfast.serviceRoleKey)).problem).toContain(
    `4 or more access classes of public.offers by policy "affordable" are left out, brought by ${minaId}`,
  )
  expect((await health()).problem).toBeUndefined()

  // The client kit reports it on both devices and does not claim to be up to date.
  const told = { table: 'offers', policy: 'affordable' }
  await expect.poll(() => own.local.incomplete.get(), ASKED).toEqual([{ ...told, reason: 'own_values' }])
  await expect.poll(() => device.local.incomplete.get(), ASKED).toEqual([{ ...told, reason: 'others_values' }])
  await expect.poll(() => device.local.sync.get(), ASKED).toEqual({ kind: 'incomplete', tables: 1 })
})
