import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migration } from './migration.ts'

function openProject() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const directory = join(folder, 'migrations')
  return {
    directory,
    async run(...argv: readonly string[]): Promise<string> {
      let text = ''
      const out = (more: string): void => void (text += more)
      const input = { argv: [...argv, `--migrations-dir=${directory}`], env: {}, out, err: out }
      await migration(input, () => new Date('2026-11-23T09:08:07.654Z'))
      return text
    },
  }
}

test('a new migration has the time as its version', async () => {
  const project = openProject()
  expect(await project.run('new', 'add_notes')).toMatch(/^Created .*20261123090807_add_notes\.sql\n$/)
  expect(readdirSync(project.directory)).toEqual(['20261123090807_add_notes.sql'])
})

test.each(['', '../notes', 'add notes', 'a/b'])('a migration cannot be named %j', async (name) => {
  await expect(openProject().run('new', name)).rejects.toMatchObject({ code: 'migration_name_invalid' })
})

test('a command that does not exist is refused with the one that is meant', async () => {
  await expect(openProject().run('ups')).rejects.toMatchObject({
    code: 'command_unknown',
    hint: 'Did you mean "holdfast migration up"?',
  })
})
