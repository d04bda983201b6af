import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newMigration } from './migration.ts'

function openProject() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const directory = join(folder, 'migrations')
  return {
    directory,
    create(name: string): string {
      let text = ''
      const out = (more: string): void => void (text += more)
      const input = { words: [name], flags: { migrationsDir: directory }, env: {}, out, err: out }
      newMigration(input, new Date('2026-11-23T09:08:07.654Z'))
      return text
    },
  }
}

test('a new migration has the time as its version', () => {
  const project = openProject()
  expect(project.create('add_notes')).toMatch(/^Created .*20261123090807_add_notes\.sql\n$/)
  expect(readdirSync(project.directory)).toEqual(['20261123090807_add_notes.sql'])
})

test.each(['', '../notes', 'add notes', 'a/b'])('a migration cannot be named %j', (name) => {
  expect(() => openProject().create(name)).toThrow(expect.objectContaining({ code: 'migration_name_invalid' }))
})
