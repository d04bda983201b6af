import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@holdfast/test-support'

/** An example that runs on this machine, as its readme says. */
export interface RunningExample extends AsyncDisposable {
  readonly url: string
  /** Versions of the packages that were installed, of those that talk to the server. */
  readonly versions: string
}

export interface ExampleOptions {
  /** Its folder in a checkout, which stays as it is. */
  readonly folder: string
  /** The file with its addresses and keys. */
  readonly envFile: string
  readonly env: Readonly<Record<string, string>>
  /** What `npm run dev --` gets for an address and a port. */
  readonly devArgs: (port: number) => readonly string[]
}

const INSTALL_MS = 900_000
const START_MS = 240_000
/** Milliseconds between two looks whether it answers. */
const POLL_MS = 250

/** @returns the folder that a checkout in `HOLDFAST_EXAMPLES` has under this path */
export function findExample(path: string): string | undefined {
  const root = process.env['HOLDFAST_EXAMPLES']
  if (root === undefined || root === '') return undefined
  return readdirSync(root)
    .map((checkout) => join(root, checkout, path))
    .find((folder) => existsSync(folder))
}

/** Installs a copy of an example with npm, changes nothing in it but its addresses, and starts its development server. */
export async function runExample({ folder, envFile, env, devArgs }: ExampleOptions): Promise<RunningExample> {
  const copy = mkdtempSync(join(tmpdir(), `holdfast-${basename(folder)}-`))
  cpSync(folder, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(copy, envFile), lines.join(''))
  let server: ChildProcess | undefined
  try {
    await end(start(copy, 'install', '--no-audit', '--no-fund', '--loglevel=error'), INSTALL_MS)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    server = start(copy, 'run', 'dev', '--', ...devArgs(port))
    await answers(server, url)
    const dev = server
    return {
      url,
      versions: installed(copy),
      async [Symbol.asyncDispose]() {
        await stop(dev)
        rmSync(copy, { recursive: true, force: true })
      },
    }
  } catch (error) {
    if (server) await stop(server)
    rmSync(copy, { recursive: true, force: true })
    throw error
  }
}

/** A folder as the ecosystem's CLI makes it, with these migrations, and the arguments of a server that finds it. */
export function projectOf(migrations: Readonly<Record<string, string>>): Disposable & { readonly args: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'))
  const supabase = join(folder, 'supabase')
  mkdirSync(join(supabase, 'migrations'), { recursive: true })
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(supabase, 'migrations', name), text)
  return { args: argumentsOf(supabase), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The arguments of a server that finds the project of a folder `supabase`. */
export const argumentsOf = (supabase: string): string[] => [
  `--migrations-dir=${join(supabase, 'migrations')}`,
  `--functions-config=${join(supabase, 'config.toml')}`,
]

/** In a group of its own: npm starts further processes. */
function start(cwd: string, ...args: readonly string[]): ChildProcess {
  const { NODE_ENV: _, ...env } = process.env
  return spawn('npm', args, { cwd, env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
}

async function end(child: ChildProcess, withinMs: number): Promise<void> {
  const code = await new Promise<number | null>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`npm has not ended within ${withinMs / 1000} s`)), withinMs)
    child.once('error', reject)
    child.once('close', (ended) => {
      clearTimeout(timer)
      resolve(ended)
    })
  }).catch(async (error: unknown) => {
    await stop(child)
    throw error
  })
  if (code !== 0) throw new Error(`npm ended with ${code}`)
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  const until = Date.now() + START_MS
  while (child.exitCode === null && Date.now() < until) {
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000), redirect: 'manual' }).catch(
      () => undefined,
    )
    await response?.body?.cancel()
    if (response) return
    await delay(POLL_MS)
  }
  throw new Error(`the example does not answer at ${url}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  process.kill(-child.pid, 'SIGKILL')
  await closed
}

function installed(folder: string): string {
  return ['@supabase/supabase-js', '@powersync/web', '@powersync/react', 'next', 'vite']
    .flatMap((name) => {
      const manifest = join(folder, 'node_modules', name, 'package.json')
      if (!existsSync(manifest)) return []
      return [`${name} ${(JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version}`]
    })
    .join(', ')
}
