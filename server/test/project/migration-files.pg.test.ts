import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPool, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { migrateProject } from '../../src/project/migrate.ts'
import { listMigrationFiles } from '../../src/project/migration-files.ts'

// Files of projects as other tools take them, applied as a start applies them.

let database: TestDatabase
let project: Pool
const folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'))
let last = 0

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [] })
  project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 2 })
})
afterEach(async () => {
  await rows('drop table if exists public.notes')
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Applies one more migration of the project. */
async function migrate(content: string | Buffer): Promise<void> {
  const path = join(folder, `${String(++last).padStart(4, '0')}_step.sql`)
  writeFileSync(path, content)
  const { files } = listMigrationFiles(folder)
  const steps = { pool: project, files, includesOlder: false, onMissing: () => undefined, onFile: () => undefined }
  await migrateProject(steps).catch((error: unknown) => {
    rmSync(path)
    throw error
  })
}

/** Runs a statement as the project. */
async function rows(text: string): Promise<readonly Record<string, unknown>[]> {
  return await project.withClient(async (client) => (await client.query(text)).rows as Record<string, unknown>[])
}

describe('statements that no transaction can hold', () => {
  test('run alone, in their place in the file, which is recorded once', async () => {
    await migrate(`create table public.notes (id int primary key, body text);
      insert into public.notes values (1, 'one; /* two */');
      -- for searches
      create unique index concurrently if not exists notes_body on public.notes (body);
      reindex table concurrently public.notes;
      vacuum (analyze) public.notes;
      drop index concurrently public.notes_body;
      create index concurrently notes_by_id on public.notes (id, body);
      alter table public.notes add column done boolean;`)
    expect(await rows(`select * from public.notes`)).toEqual([{ id: 1, body: 'one; /* two */', done: null }])
    expect(
      await rows(`select indexrelid::regclass::text as name from pg_index
                   where indrelid = 'public.notes'::regclass and indisvalid and not indisprimary`),
    ).toEqual([{ name: 'notes_by_id' }])
    expect(
      await rows(`select version, cardinality(statements) as statements
                    from supabase_migrations.schema_migrations order by version desc limit 1`),
    ).toEqual([{ version: String(last).padStart(4, '0'), statements: 8 }])
  })

  test('leave what stands before them when a later one fails, and the error says so with the line in the file', async () => {
    const attempt = migrate(`create table public.notes (id int);
      create index concurrently notes_id on public.notes (id);
      -- ü 😀

      insert into public.notes values (1), (nothing);`)
    await expect(attempt).rejects.toMatchObject({
      message: expect.stringContaining('_step.sql, line 5: column "nothing" does not exist') as string,
      detail: expect.stringContaining('is applied already') as string,
      hint: expect.not.stringContaining('Nothing of this file') as string,
    })
    expect(await rows(`select count(*)::int from public.notes`)).toEqual([{ count: 0 }])
  })
})

test('what a file commits itself is told when it fails after that', async () => {
  const attempt = migrate(`begin; create table public.notes (id int); commit; select nothing;`)
  await expect(attempt).rejects.toMatchObject({ detail: expect.stringContaining('is applied already') as string })
  expect(await rows(`select to_regclass('public.notes') is not null as made`)).toEqual([{ made: true }])
  await expect(migrate(`create table public.others (id int); select nothing;`)).rejects.toMatchObject({
    detail: undefined,
    hint: expect.stringContaining('Nothing of this file was applied.') as string,
  })
})

test.each([
  ['Latin-1', Buffer.from(`create table public.notes as select 'Müller' as name;`, 'latin1')],
  ['UTF-16', Buffer.from(`\uFEFFcreate table public.notes as select 'Müller' as name;`, 'utf16le')],
])('a file in %s is refused, and not applied with other letters', async (_, content) => {
  await expect(migrate(content)).rejects.toMatchObject({
    code: 'file_unreadable',
    message: expect.stringContaining('it is not UTF-8') as string,
  })
  expect(await rows(`select to_regclass('public.notes') as made`)).toEqual([{ made: null }])
})

test('a file with a byte order mark and the line ends of Windows is applied', async () => {
  await migrate(`\uFEFFcreate table public.notes as\r\n  select 'Müller' as name;\r\n-- end\r\n`)
  expect(await rows(`select name from public.notes`)).toEqual([{ name: 'Müller' }])
})
