import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** An app that was built from the blocks of a page of the documentation. */
export interface GuideApp extends AsyncDisposable {
  /** The built files. */
  readonly folder: string
  /** The page's first block of SQL. */
  readonly sql: string
  /** Lines of the app with something in them. */
  readonly linesOfApp: number
}

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Takes the blocks out of the page and builds with Vite. A page of its own adds its second component, the one for refused changes, to the screen.
 *
 * @param options.base - the page that has the rest of the app, when `page` has only its SQL and its component
 * @param options.into - an empty folder with the app's packages installed; default: one in the repository, which has them as sources
 */
export async function buildGuideApp(
  page: string,
  server: { readonly url: string; readonly anonKey: string },
  { base, into }: { readonly base?: string; readonly into?: string } = {},
): Promise<GuideApp> {
  const own = blocksOf(readFileSync(join(ROOT, page), 'utf8'))
  const blocks = base === undefined ? own : blocksOf(readFileSync(join(ROOT, base), 'utf8'))
  const app = block(own, 'tsx', 0)
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  const folder = into ?? mkdtempSync(join(ROOT, '.cache/guide-app-'))
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'src'))
  if (base === undefined) {
    write('src/main.tsx', withAttention(app))
    write('src/needs-attention.tsx', block(own, 'tsx', 1))
  } else {
    write('src/main.tsx', app)
  }
  write('src/env.d.ts', '/// <reference types="vite/client" />\n')
  write('vite.config.ts', block(blocks, 'ts', 0))
  write('index.html', block(blocks, 'html', 0))
  const environment = block(blocks, 'ini', 0)
    .replace('http://127.0.0.1:54321', server.url)
    .replace('<anon key>', server.anonKey)
  write('.env', environment)
  if (into === undefined) write('package.json', block(blocks, 'json', 0))
  write('tsconfig.json', TSCONFIG)
  try {
    await run('tsc', ['--project', folder])
    await run('vite', ['build', folder, '--logLevel', 'warn'])
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    folder: join(folder, 'dist'),
    sql: block(own, 'sql', 0),
    linesOfApp: app.split('\n').filter((line) => line.trim() !== '').length,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The manifest that a page tells its reader to write. */
export function guideManifest(page: string): {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
} {
  return JSON.parse(block(blocksOf(readFileSync(join(ROOT, page), 'utf8')), 'json', 0)) as ReturnType<
    typeof guideManifest
  >
}

function withAttention(app: string): string {
  const place = '<Notes />'
  if (app.split(place).length !== 2) throw new Error(`the page does not have ${place} in one place`)
  return `import { NeedsAttention } from './needs-attention.tsx'\n${app.replace(place, `${place}<NeedsAttention />`)}`
}

/** What a new Vite app has, as strict as the rest of the repository. */
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: 'es2023',
    lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    jsx: 'react-jsx',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['vite/client'],
  },
  include: ['src'],
})

function blocksOf(markdown: string): ReadonlyMap<string, readonly string[]> {
  const blocks = new Map<string, string[]>()
  for (const [, language = '', text = ''] of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    blocks.set(language, [...(blocks.get(language) ?? []), text])
  }
  return blocks
}

function block(blocks: ReadonlyMap<string, readonly string[]>, language: string, index: number): string {
  const text = blocks.get(language)?.[index]
  if (text === undefined) throw new Error(`the page has no block ${index} of ${language}`)
  return text
}

async function run(tool: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(join(ROOT, 'node_modules/.bin', tool), [...args], { cwd: ROOT, env: process.env })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${tool} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
}

/** Serves built files, as any static host does. */
export async function serveFolder(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    try {
      const file = join(folder, path === '/' ? 'index.html' : path)
      const body = readFileSync(file)
      response.writeHead(200, { 'content-type': MEDIA_TYPES[extname(file)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end() // no such file
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
