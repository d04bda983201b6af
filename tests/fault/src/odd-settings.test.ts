/**
 * Invariant: settings that an operator gives the database and the roles change nothing about what the server makes of values: who may sign in, what files,
 * channels, devices and webhooks get. What PostgREST leaves to the database, REST answers as the database says.
 */
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql, type SqlFragment } from '@holdfast/postgres'
import { openHoldfast, openRawStream, type Holdfast } from '@holdfast/test-support'

const SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'German',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kolkata',
  extra_float_digits: '-5',
  bytea_output: 'escape',
  xmlbinary: 'hex',
  xmloption: 'document',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  transform_null_equals: 'on',
  backslash_quote: 'off',
  escape_string_warning: 'off',
  client_min_messages: 'error',
  check_function_bodies: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_indexscan: 'off',
  jit: 'on',
  search_path: 'nowhere',
}
/** Functions of the server that a user's session calls are written for the standard, as nearly everything is. */
const FOR_ROLES = { ...SETTINGS, standard_conforming_strings: 'off' }
const ROLES = ['supabase_admin', 'supabase_auth_admin', 'holdfast_reader', 'holdfast_evaluator', 'authenticator']

const PASSWORD = 'a long enough password'
const ADA = { email: 'ada@example.com', password: PASSWORD }
const BOB = { email: 'bob@example.com', password: PASSWORD }

let holdfast: Holdfast
let adaId: string
let bobsToken: string

beforeAll(async () => {
  holdfast = await openHoldfast()
  const supabase = await holdfast.supabase()
  adaId = (await supabase.auth.signUp(ADA)).data.user?.id ?? ''
  const bob = (await supabase.auth.signUp(BOB)).data
  bobsToken = bob.session?.refresh_token ?? ''
  const admin = await service()
  await admin.auth.admin.updateUserById(bob.user?.id ?? '', { ban_duration: '24h' })
  await holdfast.admin.withClient((client) =>
    client.query(`
      create table public.turns (id uuid primary key default gen_random_uuid(), user_id uuid, day date);
      create table public.notes (id int primary key, day date, at timestamptz, span interval, n float8, raw bytea);
      alter table public.turns enable row level security;
      alter table public.notes enable row level security;
      grant select on public.turns to authenticated;
      grant select, insert on public.notes to authenticated;
      create policy mine on public.turns for select to authenticated using (user_id = auth.uid());
      create policy mine on public.notes for select to authenticated
        using (day in (select t.day from public.turns t where t.user_id = auth.uid()));
      create policy added on public.notes for insert to authenticated with check (true);
      alter publication supabase_realtime add table public.notes;
      insert into public.turns (user_id, day) values ('${adaId}', '2026-02-03')`),
  )
  const settingOf = (name: string, value: string): SqlFragment =>
    sql`${sql.identifier(name)} = ${sql.trusted(`'${value}'`)}`
  for (const [name, value] of Object.entries(SETTINGS))
    await holdfast.internal.execute(sql`alter database postgres set ${settingOf(name, value)}`)
  for (const role of ROLES)
    for (const [name, value] of Object.entries(FOR_ROLES))
      await holdfast.internal.execute(sql`alter role ${sql.identifier(role)} set ${settingOf(name, value)}`)
  await holdfast.stop()
  await holdfast.restart()
}, 300_000)

afterAll(() => holdfast?.[Symbol.asyncDispose]())

async function service(): Promise<SupabaseClient> {
  return createClient(holdfast.url, holdfast.serviceRoleKey, { auth: { persistSession: false } })
}

test('users sign in, and a banned one does not, nor renews a session', async () => {
  const supabase = await holdfast.supabase()
  expect((await supabase.auth.signInWithPassword(ADA)).error).toBeNull()
  expect((await supabase.auth.refreshSession()).error).toBeNull()
  expect((await supabase.auth.signInWithPassword(BOB)).error).toMatchObject({ code: 'user_banned' })
  expect((await supabase.auth.refreshSession({ refresh_token: bobsToken })).error).toMatchObject({
    code: 'user_banned',
  })
  const { data } = await (await service()).auth.admin.getUserById(adaId)
  expect(data.user?.created_at).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(data.user?.email_confirmed_at).toMatch(/^\d{4}-\d\d-\d\dT/)
})

test('REST, devices and channels get what the database has', async () => {
  const supabase = await holdfast.supabase(ADA)
  const { data: signedIn } = await supabase.auth.getSession()
  const token = signedIn.session?.access_token ?? ''
  await using device = await openRawStream({ url: holdfast.url, token, clientId: crypto.randomUUID() })
  const changes: unknown[] = []
  await new Promise<void>((resolve) => {
    supabase
      .channel('notes')
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, (change) =>
        changes.push(change.new),
      )
      .on('system', {}, ({ status }: { status: string }) => void (status === 'ok' && resolve()))
      .subscribe()
  })
  const note = {
    id: 1,
    day: '2026-02-03',
    at: '2026-02-03T04:05:06.789+00:00',
    span: '1 day 02:03:04',
    n: 0.1 + 0.2,
    raw: '\\xdead',
  }
  const { error, data } = await supabase.from('notes').insert(note).select()
  // As PostgREST, with the time zone and the formats of the database.
  expect({ error, data }).toMatchObject({
    error: null,
    data: [{ day: '2026-02-03', at: '2026-02-03T09:35:06.789+05:30', n: 0.3 }],
  })
  await expect.poll(() => changes, { timeout: 10_000 }).toEqual([{ ...note, raw: 'dead' }])
  const rows = (): unknown[] =>
    device.rows.filter(({ table }) => table === 'notes').map(({ data: row }) => JSON.parse(row))
  await expect.poll(() => rows().length, { timeout: 10_000 }).toBe(1)
  expect(rows()).toEqual([expect.objectContaining({ day: '2026-02-03', span: '1 day 02:03:04', n: 0.1 + 0.2 })])
  await supabase.removeAllChannels()
})

test('files are listed with their times', async () => {
  const admin = await service()
  await admin.storage.createBucket('photos')
  expect((await admin.storage.from('photos').upload('a/door.txt', 'a door')).error).toBeNull()
  const { data } = await admin.storage.from('photos').list('a')
  expect(data).toEqual([
    expect.objectContaining({ name: 'door.txt', created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }),
  ])
  const { data: signed } = await admin.storage.from('photos').createSignedUrl('a/door.txt', 60)
  expect(await (await fetch(signed?.signedUrl ?? '')).text()).toBe('a door')
  expect((await admin.storage.listBuckets()).data).toEqual([
    expect.objectContaining({ created_at: expect.stringMatching(/^\d{4}-/) }),
  ])
})

test('webhooks are sent, and jobs run', async () => {
  const { admin } = holdfast
  await admin.execute(sql`select net.http_get(${`${holdfast.url}/health`})`)
  await admin.execute(sql`select cron.schedule('ten', '1 second', 'select 1')`)
  const sent = async (): Promise<unknown> => admin.query(sql`select status_code::text as code from net._http_response`)
  await expect.poll(sent, { timeout: 10_000 }).toEqual([{ code: '200' }])
  const ran = async (): Promise<unknown[]> =>
    admin.query(sql`select from cron.job_run_details where status = 'succeeded'`)
  await expect.poll(async () => (await ran()).length, { timeout: 10_000 }).toBeGreaterThan(0)
})
