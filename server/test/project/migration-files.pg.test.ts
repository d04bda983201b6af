import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenProject, openProject } from './open-project.ts'

// Files of projects as other tools take them, applied as a start applies them.

let opened: OpenProject

beforeAll(async () => {
  opened = await openProject([])
})
afterEach(async () => {
  await rows('drop table if exists public.notes')
})
afterAll(() => opened[Symbol.asyncDispose]())

const migrate: OpenProject['migrate'] = (content) => opened.migrate(content)
const rows: OpenProject['rows'] = (text) => opened.rows(text)

describe('statements that no transaction can hold', () => {
  test('run alone, in their place in the file, which is recorded once', async () => {
    const version = await migrate(`create table public.notes (id int primary key, body text);
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
    ).toEqual([{ version, statements: 8 }])
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
