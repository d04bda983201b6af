import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { openOwner } from './console-world.ts'
import { openClient, subscribe } from './realtime-world.ts'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast({ args: ['--realtime-enabled=false'] })
  await holdfast.admin.withClient((client) =>
    client.query(`create table public.notes (id int primary key);
      alter publication supabase_realtime add table public.notes;
      create table public.others (id int primary key);
      alter table public.others enable row level security;
      create policy everybody on public.others for select using (true);`),
  )
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

test('a server without realtime reads no changes for it', async () => {
  const find = sql`select tablename::text from pg_publication_tables
    where pubname = 'holdfast' and schemaname in ('public', 'realtime') order by 1`
  await expect.poll(() => holdfast.admin.query(find)).toEqual([{ tablename: 'others' }])
})

test('a server without realtime tells the app and refuses clients', async () => {
  const config = (await (await fetch(`${holdfast.url}/app/v1/config`)).json()) as { hasChannels: boolean }
  expect(config.hasChannels).toBe(false)
  const { statuses } = await subscribe(openClient(holdfast).channel('room'))
  expect(statuses).toEqual([expect.stringMatching(/^CHANNEL_ERROR/)])
  const owner = await openOwner(holdfast)
  expect(await owner.refusal('GET /realtime/channels')).toBe('409 realtime_off')
  const answer = await fetch(`${holdfast.url}/realtime/v1/websocket`)
  expect(answer.status).toBe(404)
})
