import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

/*
 * The real script in a checkout of three source files. Its compilers and its bundler write the product and one line to `builds`, which tells how often each was run.
 */

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url))
const SERVER_SOURCE = 'server/src/main.ts'
const APP_SOURCE = 'apps/workspace/src/main.tsx'
const CONSOLE_SOURCE = 'apps/console/src/main.tsx'
const PAGE = 'docs/README.md'

let folder: string
let checkout: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-stale-'))
  checkout = join(folder, 'checkout')
  write('package.json', '{"type":"module"}')
  for (const script of ['build-if-stale.ts', 'server-packages.ts'])
    cpSync(join(SCRIPTS, script), join(checkout, 'scripts', script))
  write('scripts/bundle-server.ts', bundler)
  write('node_modules/typescript/package.json', '{"type":"commonjs"}')
  write('node_modules/typescript/bin/tsc', compiler('server', 'server/dist/cli/main.js'))
  const requiring = `import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)`
  write('node_modules/vite/bin/vite.js', `${requiring}\n${appsCompiler}`)
  write('apps/docs/src/build.ts', `${requiring}\n${compiler('docs', 'apps/docs/dist/pagefind/pagefind.js')}`)
  write(SERVER_SOURCE, 'export {}')
  write(APP_SOURCE, 'export {}')
  write(CONSOLE_SOURCE, 'export {}')
  write(PAGE, '# Docs')
})

/** Produces the same files as the real bundler. */
const bundler = `import fs from 'node:fs'
  fs.mkdirSync('server/dist/bundle', { recursive: true })
  fs.writeFileSync('server/dist/bundle/built-from.json', '{}')`

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Vite builds the app that its arguments name. */
const appsCompiler = `const fs = require('node:fs')
    const app = process.argv[3]
    fs.mkdirSync(app + '/dist', { recursive: true })
    fs.writeFileSync(app + '/dist/index.html', '')
    fs.appendFileSync('builds', (app === 'apps/workspace' ? 'app' : 'console') + '\\n')`

function compiler(name: string, product: string): string {
  return `const fs = require('node:fs'), path = require('node:path')
    fs.mkdirSync(path.dirname('${product}'), { recursive: true })
    fs.writeFileSync('${product}', '')
    fs.appendFileSync('builds', '${name}\\n')`
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true })
  writeFileSync(join(checkout, path), text)
}

/** Runs the script in a checkout. @returns the completed builds */
function builtIn(root: string): readonly string[] {
  writeFileSync(join(root, 'builds'), '')
  execFileSync(process.execPath, [join(root, 'scripts/build-if-stale.ts')], { cwd: root, stdio: 'pipe' })
  return readFileSync(join(root, 'builds'), 'utf8').split('\n').filter(Boolean).toSorted()
}

test('builds once, and again only what changed', () => {
  expect(builtIn(checkout)).toEqual(['app', 'console', 'docs', 'server'])
  expect(builtIn(checkout)).toEqual([])
  appendFileSync(join(checkout, SERVER_SOURCE), '\n')
  expect(builtIn(checkout)).toEqual(['server'])
  write('server/src/more.test.ts', 'export {}')
  expect(builtIn(checkout)).toEqual([])
  write('server/src/more.ts', 'export {}')
  expect(builtIn(checkout)).toEqual(['server'])
  rmSync(join(checkout, 'apps/workspace/dist/index.html'))
  expect(builtIn(checkout)).toEqual(['app'])
  appendFileSync(join(checkout, PAGE), '\n')
  expect(builtIn(checkout)).toEqual(['docs'])
})

test('does not build a copy of a built checkout again, with or without its times', () => {
  builtIn(checkout)
  const withTimes = join(folder, 'with-times')
  cpSync(checkout, withTimes, { recursive: true, preserveTimestamps: true })
  expect(builtIn(withTimes)).toEqual([])

  const withoutTimes = join(folder, 'without-times')
  cpSync(checkout, withoutTimes, { recursive: true })
  utimesSync(join(withoutTimes, APP_SOURCE), new Date(), new Date())
  expect(builtIn(withoutTimes)).toEqual([])
  appendFileSync(join(withoutTimes, APP_SOURCE), '\n')
  expect(builtIn(withoutTimes)).toEqual(['app'])
})

test('builds again what changed at the same size', () => {
  builtIn(checkout)
  const at = new Date(1_700_000_000_000)
  write(SERVER_SOURCE, 'let a = 1')
  utimesSync(join(checkout, SERVER_SOURCE), at, at)
  expect(builtIn(checkout)).toEqual(['server'])
  write(SERVER_SOURCE, 'let a = 2')
  utimesSync(join(checkout, SERVER_SOURCE), new Date(at.getTime() + 1), new Date(at.getTime() + 1))
  expect(builtIn(checkout)).toEqual(['server'])
})
