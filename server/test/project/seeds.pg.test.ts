import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedProject, type SeedReport } from '../../src/project/seed.ts'
import { type OpenProject, openProject } from './open-project.ts'

let opened: OpenProject
const folder = mkdtempSync(join(tmpdir(), 'holdfast-seeds-'))

beforeAll(async () => {
  opened = await openProject([])
  await opened.migrate('create table public.notes (id int primary key)')
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function seedWith(text: string): Promise<SeedReport> {
  writeFileSync(join(folder, 'seed.sql'), text)
  return await seedProject(opened.project, { folder, seedPatterns: ['./seed.sql'], migratesAtStart: true })
}

test('a seed counts as applied once it has a statement, so that the empty one of a new project can be filled', async () => {
  expect(await seedWith('')).toMatchObject({ applied: [], changed: [] })
  expect(await seedWith('-- Rows for development.\r\n\n  -- none; yet\n')).toMatchObject({ applied: [], changed: [] })
  expect((await seedWith('-- Rows\ninsert into public.notes values (1);')).applied).toHaveLength(1)
  expect(await opened.rows('select id from public.notes')).toEqual([{ id: 1 }])
  expect(await seedWith('-- and now\ninsert into public.notes values (2);')).toMatchObject({
    applied: [],
    changed: [expect.stringContaining('seed.sql') as string],
  })
})

test('a dump of pg_dump is read as psql reads it, and a row that cannot be is named by its line', async () => {
  const dump = (row: string): string => `\\restrict Xy1
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
-- Data for Name: places; Type: TABLE DATA
COPY public.places (id, name) FROM stdin;
1\tA\\tb; \\\\.
2\t\\N
${row}
\\.

SELECT pg_catalog.setval('public.places_id_seq', 3, true);
\\unrestrict Xy1
`
  await opened.migrate('create table public.places (id serial primary key, name text)')
  await expect(opened.migrate(dump('three\tc'))).rejects.toThrow(
    /_step\.sql, line 8: invalid input syntax for type integer/,
  )
  expect(await opened.rows('select from public.places')).toEqual([])
  const version = await opened.migrate(dump('3\tc'))
  const rows = [
    { id: 1, name: 'A\tb; \\.' },
    { id: 2, name: null },
    { id: 3, name: 'c' },
  ]
  expect(await opened.rows('select id, name from public.places order by id')).toEqual(rows)
  expect(
    await opened.rows(
      `select cardinality(statements) as n from supabase_migrations.schema_migrations where version = '${version}'`,
    ),
  ).toEqual([{ n: 4 }])
  await opened.rows('truncate public.places')
  writeFileSync(join(folder, 'data.sql'), dump('3\tc'))
  await seedProject(opened.project, { folder, seedPatterns: ['./data.sql'], migratesAtStart: true })
  expect(await opened.rows('select id, name from public.places order by id')).toEqual(rows)
  await expect(opened.migrate('select 1;\n\\i other.sql')).rejects.toThrow('line 2: \\i is a command of psql')
})
