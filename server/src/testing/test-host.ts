import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { systemClock } from '@holdfast/foundation'
import type { HostNote } from '@holdfast/protocol'
import { createLogger } from '../logger.ts'
import { VERSION } from '../version.ts'
import { serveCalls } from './calls.ts'
import { COPY } from './hosted-server.ts'
import { Templates } from './templates.ts'
import { openTestCluster, UNFINISHED } from './test-cluster.ts'

/** Idle time in ms without connections before the host exits: slightly longer than between two test files. */
const IDLE_MS = 5_000

/**
 * The process that serves the tests of one project from any number of processes, with one Postgres, its templates, and the servers. Each connection owns its
 * servers, so that they close even if a test process is killed. The host exits with its Postgres once no connection remains.
 *
 * @param argv - the host's own folder
 * @returns the exit code
 * @see docs/decisions/0140-tests-of-apps-share-a-host.md
 */
export async function runTestHost([home = '']: readonly string[]): Promise<number> {
  const logger = createLogger('warn', (line) => void process.stderr.write(line), systemClock.now)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // Under root, Postgres runs as another user, who needs access.
  if (process.getuid?.() === 0) chmodSync(home, 0o711)
  removeOfOtherBuild(home)
  const cluster = await openTestCluster(home, logger)
  // Leftovers of a killed host.
  for (const prefix of [COPY, UNFINISHED]) for (const name of await cluster.list(prefix)) await cluster.drop(name)
  rmSync(join(home, 'servers'), { recursive: true, force: true })
  const ground = { cluster, templates: new Templates(cluster, home, logger), home }
  const token = randomBytes(24).toString('base64url')

  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const connections = new Map<Socket, Promise<void>>()
  let idle = setTimeout(end, IDLE_MS)
  const server = createServer({ noDelay: true }, (socket) => {
    clearTimeout(idle)
    const served = serveCalls(socket, { ground, token }).finally(() => {
      connections.delete(socket)
      clearTimeout(idle)
      if (connections.size === 0) idle = setTimeout(end, IDLE_MS)
    })
    connections.set(socket, served)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const forget = leaveNote(home, {
    pid: process.pid,
    port: (server.address() as AddressInfo).port,
    token,
    version: VERSION,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  await ended
  forget()
  server.close()
  for (const socket of connections.keys()) socket.destroy()
  await Promise.all(connections.values())
  await cluster[Symbol.asyncDispose]()
  return 0
}

/** Writes the note atomically. @returns a function that removes it, unless another host has replaced it */
function leaveNote(home: string, note: HostNote): () => void {
  const path = join(home, 'host.json')
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return () => {
    const found = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as HostNote) : undefined
    if (found?.pid === process.pid) rmSync(path)
  }
}

/** Removes files of other builds, which may create different databases. */
function removeOfOtherBuild(home: string): void {
  const path = join(home, 'build')
  const bundle = new URL('../../dist/bundle/built-from.json', import.meta.url)
  const build = `${VERSION}\n${existsSync(bundle) ? readFileSync(bundle, 'utf8') : ''}`
  if (existsSync(path) && readFileSync(path, 'utf8') === build) return
  for (const name of ['cluster', 'templates', 'servers']) rmSync(join(home, name), { recursive: true, force: true })
  writeFileSync(path, build)
}
