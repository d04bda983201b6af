import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CommandInput } from './command.ts'
import { listFunctions, newFunction } from './functions.ts'

function openProject() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const flags = { functionsDir: join(folder, 'functions'), functionsConfig: join(folder, 'config.toml') }
  const run = async (
    command: (input: CommandInput) => number | Promise<number>,
    words: readonly string[],
    json = false,
  ): Promise<string> => {
    let text = ''
    const out = (more: string): void => void (text += more)
    await command({ words, flags: { ...flags, json }, env: {}, out, err: out })
    return text
  }
  return {
    folder,
    create: (name: string) => run(newFunction, [name]),
    list: (json = false) => run(listFunctions, [], json),
  }
}

describe('holdfast functions new', () => {
  test('makes a function that is listed', async () => {
    const project = openProject()
    expect(await project.create('hello')).toContain('/functions/v1/hello')
    expect(readFileSync(join(project.folder, 'functions/hello/index.ts'), 'utf8')).toContain('Deno.serve(')
    expect(await project.list()).toMatch(/hello {2}needs a token {2}.*functions\/hello\/index\.ts\n/)
  })

  test('leaves a function alone that is there', async () => {
    const project = openProject()
    await project.create('hello')
    const file = join(project.folder, 'functions/hello/index.ts')
    writeFileSync(file, 'mine')
    await expect(project.create('hello')).rejects.toMatchObject({ code: 'function_exists' })
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test.each(['', '../hello', '_shared', '1st', 'a b'])('refuses the name %j', async (name) => {
    const project = openProject()
    await expect(project.create(name)).rejects.toMatchObject({ code: 'function_name_invalid' })
    expect(existsSync(join(project.folder, 'functions'))).toBe(false)
  })
})

describe('holdfast functions list', () => {
  test('says which need a token, and whose entry point is missing', async () => {
    const project = openProject()
    await project.create('hello')
    writeFileSync(
      join(project.folder, 'config.toml'),
      '[functions.hook]\nverify_jwt = false\n[functions.hello]\nenabled = false\n',
    )
    const listed = JSON.parse(await project.list(true)) as readonly object[]
    expect(listed).toMatchObject([{ name: 'hook', verifyJwt: false, exists: false }])
    expect(await project.list()).toContain('(MISSING)')
  })

  test('says what to do when there are none', async () => {
    expect(await openProject().list()).toContain('holdfast functions new NAME')
  })
})
