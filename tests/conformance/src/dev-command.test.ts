import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyInitializedFolder, SERVER_MAIN } from '@holdfast/test-support'

// `holdfast dev -- COMMAND` in a project whose first migration fails. The tests build on each other, in order.

const folder = mkdtempSync(join(tmpdir(), 'holdfast-dev-'))
const migration = join(folder, 'supabase/migrations/20260101000000_notes.sql')
const notes = `
create table public.notes (id int primary key, body text not null);
alter table public.notes enable row level security;
create policy open on public.notes for select to anon using (true);
insert into public.notes values (1, 'a note');`

/** Files in which the command records its environment and the signal it receives. */
const [environmentFile, signalFile] = [join(folder, 'environment.json'), join(folder, 'signal')]
const COMMAND = `
  const { writeFileSync } = require('node:fs')
  process.on('SIGTERM', () => { writeFileSync(${JSON.stringify(signalFile)}, 'SIGTERM'); process.exit(7) })
  setInterval(() => undefined, 1_000)
  writeFileSync(${JSON.stringify(environmentFile)}, JSON.stringify(process.env))
`

let dev: ChildProcess
let output = ''
let ended: Promise<number | null>
beforeAll(async () => {
  mkdirSync(join(folder, 'supabase/migrations'), { recursive: true })
  writeFileSync(migration, `select 1;\nselect missing from nowhere;`)
  writeFileSync(join(folder, 'supabase/config.toml'), `[db.seed]\nsql_paths = ["./seeds/*.sql"]`)
  await copyInitializedFolder(join(folder, '.holdfast'), { sample: false })
  const args = [
    'dev',
    '--json',
    '--port=0',
    '--db-port=0',
    '--types=src/types.ts',
    '--',
    process.execPath,
    '-e',
    COMMAND,
  ]
  dev = spawn(process.execPath, [SERVER_MAIN, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()))
  ended = new Promise((resolve) => dev.once('exit', (code) => resolve(code)))
})
afterAll(async () => {
  dev?.kill('SIGKILL')
  await ended
  rmSync(folder, { recursive: true, force: true })
})

function environment(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(environmentFile, 'utf8')) as Record<string, string>
}

test('a failing migration is reported with its line, and the command still runs with URL and keys', async () => {
  await expect.poll(() => output).toMatch(/\{"project":"failed","problem":\{.*20260101000000_notes\.sql, line 2: /)
  await expect.poll(() => existsSync(environmentFile) && environment()['VITE_SUPABASE_URL']).toMatch(/^http:/)
  const { VITE_SUPABASE_URL: url = '', NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY: key = '', ...others } = environment()
  expect((await createClient(url, key).auth.getSession()).error).toBeNull()
  expect(await (await fetch(`${url}/auth/v1/settings`, { headers: { apikey: key } })).json()).toMatchObject({})
  // No variable that bundlers expose to browsers contains a secret.
  const handedOut = Object.keys(others).filter((name) => /^(?:VITE|NEXT_PUBLIC|EXPO_PUBLIC|PUBLIC)_/.test(name))
  expect(handedOut.filter((name) => /SECRET|SERVICE|DB_URL/.test(name))).toEqual([])
})

test('the fixed migration is applied, clients see its tables, and the types are generated', async () => {
  writeFileSync(migration, notes)
  await expect.poll(() => output).toContain('{"project":"applied"}')
  const { SUPABASE_URL: url = '', SUPABASE_ANON_KEY: key = '' } = environment()
  const client = createClient(url, key)
  await expect.poll(async () => (await client.from('notes').select('body')).data).toEqual([{ body: 'a note' }])
  expect(readFileSync(join(folder, 'src/types.ts'), 'utf8')).toMatch(/notes: \{\s+Row: \{\s+body: string/)
})

test('a new seed is applied, also in a new folder', async () => {
  mkdirSync(join(folder, 'supabase/seeds'))
  writeFileSync(join(folder, 'supabase/seeds/more.sql'), `insert into public.notes values (2, 'from a seed')`)
  const { SUPABASE_URL: url = '', SUPABASE_ANON_KEY: key = '' } = environment()
  const client = createClient(url, key)
  await expect
    .poll(async () => (await client.from('notes').select('body').order('id')).data)
    .toEqual([{ body: 'a note' }, { body: 'from a seed' }])
})

test('a change to an applied seed is reported', async () => {
  writeFileSync(join(folder, 'supabase/seeds/more.sql'), `insert into public.notes values (3, 'later')`)
  await expect.poll(() => output).toMatch(/"message":"[^"]*seeds\/more\.sql has changed after it was applied\."/)
})

test('a change to an applied migration is reported', async () => {
  writeFileSync(migration, `${notes}\n-- later`)
  await expect.poll(() => output).toMatch(/_notes\.sql has changed after it was applied\./)
})

test('a signal is forwarded to the command, and both exit with its code', async () => {
  const { SUPABASE_URL: url = '' } = environment()
  dev.kill('SIGTERM')
  expect(await ended).toBe(7)
  expect(readFileSync(signalFile, 'utf8')).toBe('SIGTERM')
  await expect(fetch(`${url}/health`)).rejects.toThrowError()
})
