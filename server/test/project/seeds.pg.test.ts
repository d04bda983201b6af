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
