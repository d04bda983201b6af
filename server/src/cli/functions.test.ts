import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { functions } from './functions.ts'

function openProject() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const settings = [`--functions-dir=${join(folder, 'functions')}`, `--functions-config=${join(folder, 'config.toml')}`]
  return {
    folder,
    async run(...argv: readonly string[]): Promise<string> {
      let text = ''
      const out = (more: string): void => void (text += more)
      await functions({ argv: [...argv, ...settings], env: {}, out, err: out })
      return text
    },
  }
}

describe('holdfast functions new', () => {
  test('makes a function that is listed', async () => {
    const project = openProject()
    expect(await project.run('new', 'hello')).toContain('/functions/v1/hello')
    expect(readFileSync(join(project.folder, 'functions/hello/index.ts'), 'utf8')).toContain('Deno.serve(')
    expect(await project.run('list')).toMatch(/hello {2}needs a token {2}.*functions\/hello\/index\.ts\n/)
  })

  test('leaves a function alone that is there', async () => {
    const project = openProject()
    await project.run('new', 'hello')
    const file = join(project.folder, 'functions/hello/index.ts')
    writeFileSync(file, 'mine')
    await expect(project.run('new', 'hello')).rejects.toMatchObject({ code: 'function_exists' })
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test.each(['', '../hello', '_shared', '1st', 'a b'])('refuses the name %j', async (name) => {
    const project = openProject()
    await expect(project.run('new', name)).rejects.toMatchObject({ code: 'function_name_invalid' })
    expect(existsSync(join(project.folder, 'functions'))).toBe(false)
  })
})

describe('holdfast functions list', () => {
  test('says which need a token, and whose entry point is missing', async () => {
    const project = openProject()
    await project.run('new', 'hello')
    writeFileSync(
      join(project.folder, 'config.toml'),
      '[functions.hook]\nverify_jwt = false\n[functions.hello]\nenabled = false\n',
    )
    const listed = JSON.parse(await project.run('list', '--json')) as readonly object[]
    expect(listed).toMatchObject([{ name: 'hook', verifyJwt: false, exists: false }])
    expect(await project.run('list')).toContain('(MISSING)')
  })

  test('says what to do when there are none', async () => {
    expect(await openProject().run('list')).toContain('holdfast functions new NAME')
  })

  test('is no command by another name', async () => {
    await expect(openProject().run('lst')).rejects.toMatchObject({ code: 'command_unknown' })
  })
})
