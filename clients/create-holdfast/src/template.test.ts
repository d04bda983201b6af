import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TEMPLATE = join(ROOT, 'clients/create-holdfast/template')
const PROGRAM = join(ROOT, 'clients/create-holdfast/bin/create-holdfast.cjs')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: { readonly node: string }
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const readText = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8')
const readManifest = (folder: string): Manifest => JSON.parse(readText(folder, 'package.json')) as Manifest

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-create-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Files of the app that a page shows: a block of code below a line that names the file. */
function quotedFiles(markdown: string): readonly { readonly file: string; readonly text: string }[] {
  return [...markdown.matchAll(/^`([\w/.-]+\.\w+)`:\n\n```\w+\n(.*?)^```$/gms)].map(([, file = '', text = '']) => ({
    file,
    text,
  }))
}

describe('the guide', () => {
  const quoted = quotedFiles(readText(ROOT, 'docs/guides/build-an-offline-first-app.md'))

  test('shows every screen of the app, its migration and how it is built', () => {
    const sources = readdirSync(join(TEMPLATE, 'src')).filter((name) => /\.tsx?$/.test(name) && !name.includes('types'))
    expect(quoted.map(({ file }) => file)).toEqual(
      expect.arrayContaining([...sources.map((name) => `src/${name}`), 'vite.config.ts']),
    )
  })

  test.each(quoted)('shows $file as the template has it', ({ file, text }) => {
    expect(text).toBe(readText(TEMPLATE, file))
  })
})

describe('the template', () => {
  test('has the versions that this repository is tested with', () => {
    const { dependencies, devDependencies, engines } = readManifest(TEMPLATE)
    const root = readManifest(ROOT)
    expect(engines).toEqual(root.engines)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect(`${name} ${version}`).toBe(`${name} ${readManifest(join(ROOT, 'node_modules', name)).version}`)
  })
})

describe('create-holdfast', () => {
  const create = (...argv: readonly string[]): string =>
    execFileSync(process.execPath, [PROGRAM, ...argv], { encoding: 'utf8', stdio: 'pipe' })

  test('copies the app, under the name of its folder', () => {
    const folder = join(newFolder(), 'My Field Notes')
    expect(create(folder)).toContain('npm run dev')
    expect(readManifest(folder).name).toBe('my-field-notes')
    expect(existsSync(join(folder, '.gitignore'))).toBe(true)
    expect(readText(folder, 'src/notes.tsx')).toBe(readText(TEMPLATE, 'src/notes.tsx'))
  })

  test('names tarballs of a folder in place of versions', () => {
    const packages = newFolder()
    for (const name of ['holdfast', 'holdfast-client', 'holdfast-react'])
      writeFileSync(join(packages, `${name}-${readManifest(ROOT).version}.tgz`), '')
    const folder = join(newFolder(), 'app')
    create(folder, `--packages=${packages}`)
    const { dependencies, devDependencies } = readManifest(folder)
    expect(dependencies['@holdfast/client']).toMatch(/^file:.*holdfast-client-[\d.]+\.tgz$/)
    expect(devDependencies['holdfast']).toMatch(/^file:.*holdfast-[\d.]+\.tgz$/)
    expect(dependencies['react']).toBe(readManifest(TEMPLATE).dependencies['react'])
  })

  test('leaves a folder alone that has files', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'letter.txt'), 'mine')
    expect(() => create(folder)).toThrow(/is not empty/)
    expect(readdirSync(folder)).toEqual(['letter.txt'])
  })

  test('names the tarball that is missing', () => {
    expect(() => create(join(newFolder(), 'app'), `--packages=${newFolder()}`)).toThrow(/has no holdfast-client-/)
  })
})
