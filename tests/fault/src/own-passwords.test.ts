/**
 * Invariant: servers on one database whose data folders have passwords of their own all go on serving, whichever of them starts, starts again or is gone. Each step
 * ends the connections that requests had, so that every server has to log in again.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '@supabase/supabase-js'
import { sql } from '@holdfast/postgres'
import { UPLOAD_PATH } from '@holdfast/protocol'
import {
  createNotes,
  openHoldfast,
  openRawStream,
  SAMPLE_PASSWORD,
  startServer,
  type Holdfast,
  type ServerProcess,
} from '@holdfast/test-support'

const MINA = 'mina.kaya@northline.example'
const LOGIN_ROLES = ['authenticator', 'holdfast_reader', 'holdfast_evaluator']

let holdfast: Holdfast
const others = new Map<string, ServerProcess>()

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
})

afterAll(async () => {
  process.kill(holdfast.pid(), 'SIGCONT')
  for (const other of others.values()) await other.kill('SIGKILL')
  await holdfast?.[Symbol.asyncDispose]()
})

/** Starts a server with a data folder of its own, as one that had a Postgres of its own before. */
async function start(name: string): Promise<ServerProcess> {
  const dataDir = join(dirname(holdfast.dataDir), name)
  mkdirSync(dataDir, { recursive: true })
  copyFileSync(join(holdfast.dataDir, 'jwt-secret'), join(dataDir, 'jwt-secret'))
  const password = (): string => randomBytes(32).toString('base64url')
  const secrets = { superuserPassword: password(), projectPassword: password(), authenticatorPassword: password() }
  writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 })
  const server = await startServer(
    [`--database-url=${holdfast.internalUrl}`, '--port=0', `--data-dir=${dataDir}`],
    dataDir,
  )
  others.set(name, server)
  return server
}

/** Signs in, writes by REST and by an upload, and reads both again, on new connections. */
async function expectServing(url: string): Promise<string> {
  await holdfast.internal.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = any(${LOGIN_ROLES}::text[])`,
  )
  const client = createClient(url, holdfast.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
  const { data, error } = await client.auth.signInWithPassword({ email: MINA, password: SAMPLE_PASSWORD })
  expect(error).toBeNull()
  const token = data.session?.access_token ?? ''
  const [byRest, byUpload] = [randomUUID(), randomUUID()]
  // A connection that was ended is noticed with the first statement on it.
  await expect.poll(async () => (await client.from('notes').upsert({ id: byRest, title: 'rest' })).error).toBeNull()
  const answer = await fetch(`${url}${UPLOAD_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: randomUUID(),
      position: 1,
      operations: [{ op_id: 1, op: 'PUT', type: 'notes', id: byUpload, data: { title: 'upload' } }],
    }),
  })
  expect(answer.status, await answer.text()).toBe(200)
  const rows = await client.from('notes').select('title').in('id', [byRest, byUpload]).order('title')
  expect(rows).toMatchObject({ error: null, data: [{ title: 'rest' }, { title: 'upload' }] })
  return token
}

const roleOf = async (url: string): Promise<string> => {
  const headers = { apikey: holdfast.serviceRoleKey }
  const response = await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(2_000) })
  const { sync, sync_role: role } = (await response.json()) as { sync: string; sync_role: string }
  return sync === 'ready' ? role : sync
}

test('all serve, also after one of them has started again', async () => {
  const [one, two] = [await start('one'), await start('two')]
  for (const url of [holdfast.url, one.ready.base, two.ready.base]) await expectServing(url)
  await one.kill('SIGTERM')
  for (const url of [holdfast.url, two.ready.base]) await expectServing(url)
  const again = await start('one')
  for (const url of [holdfast.url, again.ready.base, two.ready.base]) await expectServing(url)
})

test('all serve, also after the schema with the recorded password was dropped', async () => {
  const [one, two] = [...others.values()]
  await holdfast.internal.execute(sql`drop schema holdfast cascade`)
  const recorded = (): Promise<number> =>
    holdfast.internal.query(sql`select from holdfast.login_passwords`).then(
      (rows) => rows.length,
      () => 0, // the table is not there yet
    )
  await expect.poll(recorded, { timeout: 60_000 }).toBe(1)
  await one?.kill('SIGTERM')
  const again = await start('one')
  for (const url of [holdfast.url, again.ready.base, two?.ready.base ?? '']) await expectServing(url)
})

test('another one reads changes when the first is gone', async () => {
  process.kill(holdfast.pid(), 'SIGSTOP')
  const urls = [...others.values()].map(({ ready }) => ready.base)
  const states = (): Promise<readonly string[]> => Promise.all(urls.map((url) => roleOf(url).catch(String)))
  let seen: readonly string[] = []
  const look = async (): Promise<readonly string[]> => (seen = await states()).toSorted()
  await expect.poll(look, { timeout: 60_000 }).toEqual(['follower', 'reader'])
  const url = urls[seen.indexOf('reader')] ?? ''
  const token = await expectServing(url)
  await using device = await openRawStream({ url, token, clientId: randomUUID() })
  await device.settle()
  const titles = device.rows.filter(({ table }) => table === 'notes').map(({ data }) => JSON.parse(data) as object)
  expect(titles).toContainEqual(expect.objectContaining({ title: 'upload' }))
})
