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
      const argv = [`--functions-config=${configFile}`, `--migrations-dir=${join(folder, 'supabase/migrations')}`]
      init({ argv, env: {}, out, err: out })
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

test('a project that is there is left alone', () => {
  const { configFile, run } = openFolder()
  run()
  writeFileSync(configFile, 'mine')
  expect(run).toThrowError(expect.objectContaining({ code: 'project_exists' }))
  expect(readFileSync(configFile, 'utf8')).toBe('mine')
})
