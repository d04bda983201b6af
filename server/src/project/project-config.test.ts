import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readDatabaseConfig, readProjectBuckets } from './project-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'))
const path = join(folder, 'config.toml')
afterAll(() => rmSync(folder, { recursive: true }))

function write(toml: string): string {
  writeFileSync(path, toml)
  return path
}

describe('what config.toml says of migrations and seeds', () => {
  const usual = { migratesAtStart: true, seedPatterns: ['./seed.sql'], folder }

  test.each([
    ['nothing', '', usual],
    ['that migrations are off', '[db.migrations]\nenabled = false', { ...usual, migratesAtStart: false }],
    [
      'which seeds there are',
      '[db.seed]\nsql_paths = ["./a.sql", "seeds/*.sql"]',
      { ...usual, seedPatterns: ['./a.sql', 'seeds/*.sql'] },
    ],
    ['that seeds are off', '[db.seed]\nenabled = false\nsql_paths = ["./a.sql"]', { ...usual, seedPatterns: [] }],
    ['that there are no seeds', '[db.seed]\nsql_paths = []', { ...usual, seedPatterns: [] }],
  ])('%s', async (_, toml, config) => {
    expect(await readDatabaseConfig(write(toml))).toEqual(config)
  })

  test('is as usual without a file', async () => {
    expect(await readDatabaseConfig(join(folder, 'none.toml'))).toEqual(usual)
  })

  // Regression: an array of tables was read as an empty table, so disabled migrations ran.
  test.each([
    ['db = 1', 'db is not a table'],
    ['[[db]]\nmigrations.enabled = false', 'db is not a table'],
    ['[[db.migrations]]\nenabled = false', 'db.migrations is not a table'],
    ['[db]\nseed = 2026-11-20', 'db.seed is not a table'],
    ['[db]\nseed = []', 'db.seed is not a table'],
    ['[db.migrations]\nenabled = "no"', 'db.migrations.enabled is neither true nor false'],
    ['[db.seed]\nenabled = 0', 'db.seed.enabled is neither true nor false'],
    ['[db.seed]\nsql_paths = "a.sql"', 'db.seed.sql_paths is not a list of paths'],
    ['[db.seed]\nsql_paths = ["a.sql", 1]', 'db.seed.sql_paths is not a list of paths'],
    ['[db', expect.stringMatching(/line 1|1:/u)],
  ])('%j is refused', async (toml, detail) => {
    await expect(readDatabaseConfig(write(toml))).rejects.toMatchObject({ code: 'project_config_invalid', detail })
  })
})

describe('the buckets of config.toml', () => {
  test('have their folders beside the file', async () => {
    const buckets = await readProjectBuckets(
      write('[storage.buckets.photos]\npublic = true\nobjects_path = "./pictures"\n[storage.buckets.plain]'),
    )
    expect(buckets).toEqual({ photos: { public: true, objects_path: join(folder, 'pictures') }, plain: {} })
  })

  test.each([
    ['[storage.buckets]\nphotos = true', 'storage.buckets.photos is not a table'],
    ['[[storage.buckets]]\nphotos = {}', 'storage.buckets is not a table'],
    ['[[storage.buckets.photos]]\npublic = true', 'storage.buckets.photos is not a table'],
  ])('%j are refused', async (toml, detail) => {
    await expect(readProjectBuckets(write(toml))).rejects.toMatchObject({ code: 'project_config_invalid', detail })
  })
})
