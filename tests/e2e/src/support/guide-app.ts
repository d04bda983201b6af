import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** An app of the documentation that was built. */
export interface GuideApp extends AsyncDisposable {
  /** The built files. */
  readonly folder: string
  /** Its tables. */
  readonly sql: string
}

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** The app of the guide, which `npm create holdfast` copies. */
const TEMPLATE = join(ROOT, 'clients/create-holdfast/template')

/** Its migration. */
const MIGRATION = 'supabase/migrations/20260101000000_notes.sql'

type ServerAddress = { readonly url: string; readonly anonKey: string }

/**
 * Builds the app of the template for a server.
 *
 * @param options.into - a folder that has the app and its packages; default: a copy in the repository, with the packages as sources
 */
export async function buildTemplateApp(
  server: ServerAddress,
  { into }: { readonly into?: string } = {},
): Promise<GuideApp> {
  const folder = into ?? newFolder()
  if (into === undefined) cpSync(TEMPLATE, folder, { recursive: true })
  return await build(folder, server, readFileSync(join(TEMPLATE, MIGRATION), 'utf8'))
}

/**
 * Builds the app of the template with the page's first block of TSX in the place of its screens.
 *
 * @returns the app, and how many lines of the block have something in them
 */
export async function buildGuideApp(
  page: string,
  server: ServerAddress,
): Promise<GuideApp & { readonly linesOfApp: number }> {
  const blocks = blocksOf(readFileSync(join(ROOT, page), 'utf8'))
  const folder = newFolder()
  for (const name of ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'])
    cpSync(join(TEMPLATE, name), join(folder, name))
  mkdirSync(join(folder, 'src'))
  const main = block(blocks, 'tsx', 0)
  writeFileSync(join(folder, 'src/main.tsx'), main)
  const app = await build(folder, server, block(blocks, 'sql', 0))
  return { ...app, linesOfApp: main.split('\n').filter((line) => line.trim() !== '').length }
}

/** What the app of the guide is built with and of. */
export function templateManifest(): {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
} {
  return JSON.parse(readFileSync(join(TEMPLATE, 'package.json'), 'utf8')) as ReturnType<typeof templateManifest>
}

function newFolder(): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  return mkdtempSync(join(ROOT, '.cache/guide-app-'))
}

async function build(folder: string, server: ServerAddress, sql: string): Promise<GuideApp> {
  writeFileSync(join(folder, '.env'), `VITE_SUPABASE_URL=${server.url}\nVITE_SUPABASE_ANON_KEY=${server.anonKey}\n`)
  try {
    await run('tsc', ['--project', folder])
    await run('vite', ['build', folder, '--logLevel', 'warn'])
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    folder: join(folder, 'dist'),
    sql,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

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
