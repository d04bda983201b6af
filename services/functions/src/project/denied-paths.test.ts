import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findDeniedPaths } from './denied-paths.ts'

/** Creates a project; a value starting with "-> " is a link target. */
function openProject(files: Readonly<Record<string, string>>): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const path = join(project, name)
    mkdirSync(dirname(path), { recursive: true })
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), path)
    else writeFileSync(path, content)
  }
  return project
}

function deniedIn(project: string, directory = join(project, 'functions')): readonly string[] {
  return findDeniedPaths(directory, join(directory, '.env'))
    .paths.map((path) => relative(directory, path))
    .toSorted()
}

test('dotenv files are denied wherever they are, and so is node_modules', () => {
  const names = ['.env', '.env.production', '.env.local', 'a/.env', 'a/b/.env.test.local', 'a/.envrc', 'a/.env~']
  const files = [...names, 'a/node_modules/x/index.js', 'a/env.ts', 'a/index.ts']
  const project = openProject(Object.fromEntries(files.map((name) => [`functions/${name}`, ''])))
  expect(deniedIn(project)).toEqual([...names, 'a/node_modules'].toSorted())
  expect(deniedIn(project, project)).toContain('functions/a/.env')
})

test.each([
  ['a file outside', '/etc/hostname', 'outside the folder of functions'],
  ['a folder outside', '../../', 'outside the folder of functions'],
  ['a folder whose name begins alike', '../../functions-other', 'outside the folder of functions'],
  ['a dotenv file', '../.env.production', 'which functions must not read'],
  ['a file through another link that leads outside', '../b/out/hostname', 'outside the folder of functions'],
  ['another link that leads outside', '../b/out', 'outside the folder of functions'],
  ['a folder with a dotenv file', '../c', 'which contains'],
  ['a folder that contains it', '.', 'which contains'],
  ['a package', '../c/node_modules/x.js', 'which functions must not read'],
])('a link to %s is denied', (_what, target, reason) => {
  const project = openProject({
    'functions-other/x.ts': '',
    'functions/.env.production': 'KEY=1',
    'functions/b/out': '-> /etc',
    'functions/c/.env.test': '',
    'functions/c/node_modules/x.js': '',
    'functions/a/link': `-> ${target}`,
  })
  expect(deniedIn(project)).toContain('a/link')
  const { links } = findDeniedPaths(join(project, 'functions'), join(project, 'functions/.env'))
  const link = links.find(({ path }) => path === join(project, 'functions/a/link'))
  expect(link?.reason).toContain(reason)
})

test('links within the folder are read, also when the folder is reached through a link', () => {
  const project = openProject({
    'real/_shared/x.ts': '',
    'real/_shared/deep/y.ts': '',
    'real/a/x.ts': '-> ../_shared/x.ts',
    'real/a/shared': '-> ../_shared',
    'real/a/gone.ts': '-> nowhere.ts',
    functions: '-> real',
  })
  expect(deniedIn(project)).toEqual(['.env', 'a/gone.ts'])
  expect(findDeniedPaths(join(project, 'functions'), join(project, '.env')).links).toEqual([])
})

test('a link to the configured file of secrets is denied under its own name', () => {
  const project = openProject({ 'functions/secrets.txt': 'KEY=1', 'functions/a/link': '-> ../secrets.txt' })
  const { paths } = findDeniedPaths(join(project, 'functions'), join(project, 'functions/secrets.txt'))
  expect(paths).toEqual(expect.arrayContaining([join(project, 'functions/a/link')]))
})

test('more denied paths than Deno takes are refused', () => {
  const files = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`functions/.env.${at}`, '']))
  expect(() => deniedIn(openProject(files))).toThrow(
    expect.objectContaining({ code: 'functions_too_many_denied_paths' }) as Error,
  )
})
