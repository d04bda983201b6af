import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
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
