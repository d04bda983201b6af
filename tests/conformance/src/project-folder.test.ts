import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHoldfast, runHoldfast, type Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'

// A folder created by the Supabase CLI, found at startup and changed while the server runs. The tests build on each other, in order.

const PROJECT: Readonly<Record<string, string>> = {
  'config.toml': `
project_id = "notes"
[db.seed]
sql_paths = ["./seed.sql", "./seeds/*.sql"]
[storage.buckets.avatars]
public = true
file_size_limit = "1MiB"
allowed_mime_types = ["image/png"]
objects_path = "./avatars"
`,
  'avatars/people/ann.png': 'a picture',
  'avatars/notes.txt': 'what the bucket does not take',
  'migrations/20240101000000_notes.sql': `
    create table public.notes (id int primary key, body text not null);
    alter table public.notes enable row level security;
    create policy "everybody reads" on public.notes for select to anon using (body not like 'secret%');
    -- As a dump begins: what comes after finds its tables nevertheless.
    select pg_catalog.set_config('search_path', '', false);`,
  'migrations/20240102000000_tags.sql': `create table tags (id int primary key, note int references notes);`,
  'migrations/README.sql': 'this is no migration;',
  'seed.sql': `insert into public.notes values (1, 'seeded'), (2, 'secret; seeded');`,
  'seeds/more.sql': `insert into public.notes values (3, 'from a glob');`,
}

const THIRD = 'migrations/20240103000000_third.sql'

const folder = join(mkdtempSync(join(tmpdir(), 'holdfast-project-')), 'supabase')
const settings = [`--migrations-dir=${join(folder, 'migrations')}`, `--functions-config=${join(folder, 'config.toml')}`]

let holdfast: Holdfast
beforeAll(async () => {
  for (const [name, text] of Object.entries(PROJECT)) write(name, text)
  holdfast = await openHoldfast({ args: settings })
})
afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
  rmSync(dirname(folder), { recursive: true, force: true })
})

function write(name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

async function cli(...argv: readonly string[]): Promise<unknown> {
  return JSON.parse(await runHoldfast('migration', ...argv, '--json', `--data-dir=${holdfast.dataDir}`, ...settings))
}

async function history(): Promise<readonly object[]> {
  return await holdfast.admin.query(
    sql`select version, name, cardinality(statements) as statements from supabase_migrations.schema_migrations order by version`,
  )
}

test('starting applies migrations and seeds, and the client sees what the policies show', async () => {
  const supabase = await holdfast.supabase()
  const { data } = await supabase.from('notes').select('id, body').order('id')
  expect(data).toEqual([
    { id: 1, body: 'seeded' },
    { id: 3, body: 'from a glob' },
  ])
})

test('configured buckets are created, with their files', async () => {
  const service = createClient(holdfast.url, holdfast.serviceRoleKey, { auth: { persistSession: false } }).storage
  const { data } = await service.listBuckets()
  expect(data).toMatchObject([
    { id: 'avatars', public: true, file_size_limit: 1_048_576, allowed_mime_types: ['image/png'] },
  ])
  const { publicUrl } = service.from('avatars').getPublicUrl('people/ann.png').data
  expect(await (await fetch(publicUrl)).text()).toBe('a picture')
  expect(await holdfast.admin.query(sql`select name from storage.objects`)).toEqual([{ name: 'people/ann.png' }])
})

test('the migration history is compatible with Supabase', async () => {
  expect(await history()).toEqual([
    { version: '20240101000000', name: 'notes', statements: 4 },
    { version: '20240102000000', name: 'tags', statements: 1 },
  ])
  expect(await holdfast.admin.query(sql`select path from supabase_migrations.seed_files order by path`)).toEqual([
    { path: 'supabase/seed.sql' },
    { path: 'supabase/seeds/more.sql' },
  ])
})

test("tables belong to the project's role", async () => {
  expect(await holdfast.admin.query(sql`select tableowner from pg_tables where tablename = 'notes'`)).toEqual([
    { tableowner: 'postgres' },
  ])
})

test('restarting applies nothing again, not even a changed seed', async () => {
  write('seed.sql', `insert into public.notes values (9, 'changed');`)
  await holdfast.stop()
  await holdfast.restart()
  expect(holdfast.log()).toContain('seed changed')
  expect(await holdfast.admin.query(sql`select id from public.notes order by id`)).toEqual([
    { id: 1 },
    { id: 2 },
    { id: 3 },
  ])
})

test('a failing migration leaves nothing behind and is reported with its line', async () => {
  write(THIRD, `create table public.third (id int primary key);\n\ninsert into public.nowhere values (1);\n`)
  await expect(cli('up')).rejects.toThrow(
    /20240103000000_third\.sql, line 3: relation "public\.nowhere" does not exist/,
  )
  expect(await history()).toHaveLength(2)
  expect(await holdfast.admin.query(sql`select to_regclass('public.third') is null as gone`)).toEqual([{ gone: true }])
})

test('a migration is applied while the server runs, which then serves its table', async () => {
  write(THIRD, `create table public.third (id int primary key);\n\ninsert into public.third values (1);\n`)
  expect(await cli('list')).toMatchObject([
    { local: '20240101000000', applied: '20240101000000', name: 'notes' },
    { local: '20240102000000', applied: '20240102000000' },
    { local: '20240103000000', name: 'third' },
  ])
  expect(await cli('up')).toEqual({ applied: ['20240103000000'] })
  expect(await cli('up')).toEqual({ applied: [] })
  const supabase = await holdfast.supabase()
  await expect.poll(async () => (await supabase.from('third').select()).data).toEqual([{ id: 1 }])
})

test('a migration older than the applied ones needs --include-all', async () => {
  write('migrations/20240101120000_late.sql', `create table public.late (id int primary key);`)
  await expect(cli('up')).rejects.toThrow('20240101120000_late.sql')
  expect(await cli('up', '--include-all')).toEqual({ applied: ['20240101120000'] })
})

test('a migration whose file is missing stops the command, not the server', async () => {
  renameSync(join(folder, THIRD), join(folder, 'third.txt'))
  await expect(cli('up')).rejects.toThrow('20240103000000')
  await holdfast.stop()
  await holdfast.restart()
  expect(holdfast.log()).toContain('20240103000000')
  const supabase = await holdfast.supabase()
  await expect.poll(async () => (await supabase.from('third').select()).data).toEqual([{ id: 1 }])
})
