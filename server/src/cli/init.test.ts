import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfigTables } from '@holdfast/functions'
import { readDatabaseConfig } from '../project/project-config.ts'
import { init } from './init.ts'

function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const configFile = join(folder, 'supabase/config.toml')
  return {
    folder,
    configFile,
    run(): string {
      let text = ''
      const out = (more: string): void => void (text += more)
      const flags = {
        dataDir: join(folder, '.holdfast'),
        functionsConfig: configFile,
        migrationsDir: join(folder, 'supabase/migrations'),
      }
      init({ words: [], flags, env: {}, out, err: out })
      return text
    },
  }
}

test('an empty folder becomes a project whose settings are read', async () => {
  const { folder, configFile, run } = openFolder()
  expect(run()).toContain('holdfast start')
  expect(readdirSync(join(folder, 'supabase')).toSorted()).toEqual(['config.toml', 'migrations', 'seed.sql'])
  expect(await readConfigTables(configFile)).toMatchObject({ project_id: basename(folder) })
  expect(await readDatabaseConfig(configFile)).toEqual({
    migratesAtStart: true,
    seedPatterns: ['./seed.sql'],
    folder: join(folder, 'supabase'),
  })
})

test('the data folder is ignored by git and by container builds', () => {
  const { folder, run } = openFolder()
  run()
  expect(readFileSync(join(folder, '.holdfast/.gitignore'), 'utf8')).toBe('*\n')
  expect(readFileSync(join(folder, '.dockerignore'), 'utf8').split('\n')).toContain('**/.holdfast*')
})

test('a .dockerignore that is there is left alone', () => {
  const { folder, run } = openFolder()
  writeFileSync(join(folder, '.dockerignore'), 'mine')
  run()
  expect(readFileSync(join(folder, '.dockerignore'), 'utf8')).toBe('mine')
})

test('a project that is there is left alone', () => {
  const { configFile, run } = openFolder()
  run()
  writeFileSync(configFile, 'mine')
  expect(run).toThrowError(expect.objectContaining({ code: 'project_exists' }))
  expect(readFileSync(configFile, 'utf8')).toBe('mine')
})
