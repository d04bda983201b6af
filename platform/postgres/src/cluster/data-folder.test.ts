import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { prepareDataFolder } from './data-folder.ts'

function openFolder(...files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), 'mine')
  }
  return folder
}

const ignores = (folder: string): boolean => existsSync(join(folder, '.gitignore'))

describe('.gitignore', () => {
  test('ignores everything in a folder that is created', () => {
    const folder = join(openFolder(), 'new')
    prepareDataFolder(folder)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  })

  test.each([
    { title: 'an empty folder', files: [], expected: true },
    { title: 'the data folder of an earlier release', files: ['postgres/PG_VERSION', 'secrets.json'], expected: true },
    { title: 'the data folder of an external Postgres', files: ['secrets.json'], expected: true },
    { title: 'a folder of other files', files: ['letter.txt'], expected: false },
  ])('$title: $expected', ({ files, expected }) => {
    const folder = openFolder(...files)
    prepareDataFolder(folder)
    expect(ignores(folder)).toBe(expected)
  })

  test('is never written where the project itself is', () => {
    const folder = openFolder('postgres/PG_VERSION', 'supabase/config.toml')
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(join(folder, 'supabase'))
    prepareDataFolder(folder)
    expect(ignores(folder)).toBe(false)
  })

  test('that is there is left alone', () => {
    const folder = openFolder('postgres/PG_VERSION', '.gitignore')
    prepareDataFolder(folder)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('mine')
  })
})
