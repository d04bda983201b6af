import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { HostNote } from '@holdfast/protocol'
import { connectTo, type HostConnection } from './host-connection.ts'
import { TestingError } from './testing-error.ts'

/** Start timeout in ms: the first host creates a database. */
const START_MS = 120_000

const POLL_MS = 20

/** Path and version of the program. */
interface Program {
  readonly path: string
  readonly version: string
}

/**
 * Connects to a project's host, starting it if necessary. Concurrent processes get the same host.
 *
 * @param project - its folder; `undefined` for servers without a project
 * @throws {TestingError} `test_holdfast_missing`, `test_host_failed` with the host's output
 */
export async function connectToHost(
  project: string | undefined,
  progress: (line: string) => void,
): Promise<HostConnection> {
  const program = findProgram(project)
  const home = homeOf(program, project)
  mkdirSync(home, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  requireOwn(home)
  const deadline = performance.now() + START_MS
  let started: StartedHost | undefined
  try {
    for (;;) {
      const note = readNote(home)
      const connection = note && (await connectTo(note).catch(() => undefined))
      if (connection) return connection
      if (started?.failed()) throw hostFailed(home, 'It ended before it was ready.')
      if (performance.now() > deadline) throw hostFailed(home, `It was not ready after ${START_MS} ms.`)
      if (!started && takeLock(home)) {
        progress('starting Postgres for tests')
        started = startHost(program, home, project ?? home)
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  } finally {
    if (started) rmSync(lockPath(home), { force: true })
  }
}

/** Finds the project's installed `holdfast`, else the one beside this package. */
function findProgram(project: string | undefined): Program {
  const places = [...(project === undefined ? [] : [join(project, 'package.json')]), import.meta.url]
  for (const place of places) {
    try {
      const manifestPath = createRequire(place).resolve('holdfast/package.json')
      const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as {
        readonly version: string
        readonly bin?: { readonly holdfast?: string }
      }
      return { path: join(dirname(manifestPath), manifest.bin?.holdfast ?? ''), version: manifest.version }
    } catch {
      // not installed there
    }
  }
  throw new TestingError({
    code: 'test_holdfast_missing',
    message: 'The package "holdfast" is not installed.',
    hint: 'Install it beside @holdfast/testing, of the same version: npm install --save-dev holdfast',
  })
}

/** Separate per project, because migrations create roles, which belong to a whole Postgres. */
function homeOf({ path, version }: Program, project: string | undefined): string {
  const key = createHash('sha256')
    .update(`${version}\0${path}\0${project ?? ''}`)
    .digest('hex')
    .slice(0, 12)
  return join(tmpdir(), `holdfast-testing-${userInfo().uid}`, key)
}

function requireOwn(home: string): void {
  const { uid } = statSync(home)
  if (process.getuid && uid !== process.getuid())
    throw new TestingError({ code: 'test_host_failed', message: `${home} belongs to another user. Remove it.` })
}

function readNote(home: string): HostNote | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'host.json'), 'utf8')) as HostNote
  } catch {
    return undefined // none exists yet
  }
}

const lockPath = (home: string): string => join(home, 'starting')

/** @returns whether this process starts the host. If two did, one host would end unused. */
function takeLock(home: string): boolean {
  const path = lockPath(home)
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
    if (holder > 0 && !isAlive(holder)) rmSync(path, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

interface StartedHost {
  failed(): boolean
}

function startHost(program: Program, home: string, cwd: string): StartedHost {
  const log = openSync(logPath(home), 'w', 0o600)
  let hasFailed = false
  try {
    // Detached from the process group: Ctrl-C ends the tests, and the host ends after closing their servers.
    const child = spawn(process.execPath, [program.path, 'test-host', home], {
      cwd,
      detached: true,
      stdio: ['ignore', log, log],
      env: environment(),
    })
    child.once('error', () => (hasFailed = true))
    child.once('exit', () => (hasFailed = true))
    child.unref()
  } finally {
    closeSync(log)
  }
  return { failed: () => hasFailed }
}

/** Removes variables that test runners set for their own processes. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_CHANNEL_FD: ___, ...rest } = process.env
  return rest
}

const logPath = (home: string): string => join(home, 'host.log')

function hostFailed(home: string, why: string): TestingError {
  const text = existsSync(logPath(home)) ? readFileSync(logPath(home), 'utf8').slice(-4_000).trim() : ''
  return new TestingError({
    code: 'test_host_failed',
    message: `The test host process cannot be started. ${why}`,
    ...(text === '' ? {} : { detail: text }),
    hint: `See its log at ${logPath(home)}. Delete ${home} to start from scratch.`,
  })
}
