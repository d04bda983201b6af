import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProcess } from '@holdfast/postgres'
import type { Holdfast } from './holdfast.ts'

/** A running server's description of itself in its data folder. */
export interface RunningServer {
  readonly pid: number
  /** Distinguishes the process from a later one with the same PID. */
  readonly startedAt: string
  /** Its version. */
  readonly version: string
  /** Path of its certificate if it serves TLS itself. */
  readonly certFile?: string | undefined
  /** Output of `start --json`. */
  readonly ready: ReadyLine
}

/** The URLs and keys of a server. */
export interface ReadyLine {
  readonly ready: true
  readonly base: string
  readonly db: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  readonly jwtSecret: string
  readonly mailbox: string | undefined
  /** Opens the sample signed in, once, within ten minutes of the start. */
  readonly welcome: string | undefined
  /** Creates the console's first operator, once. */
  readonly console: string | undefined
  readonly s3: Holdfast['s3']
}

const FILE = 'running.json'

/** Records in the data folder that this process serves it, for `status` and `stop`. @returns a function that removes the record */
export function noteRunning(
  dataDir: string,
  server: Pick<RunningServer, 'version' | 'certFile' | 'ready'>,
): () => void {
  const path = join(dataDir, FILE)
  const startedAt = findProcess(process.pid)?.startedAt ?? ''
  const note: RunningServer = { pid: process.pid, startedAt, ...server }
  // Contains keys, like the neighbouring files.
  writeFileSync(path, `${JSON.stringify(note)}\n`, { mode: 0o600 })
  return () => {
    // Another server may have started since.
    if (read(dataDir)?.pid === process.pid) rmSync(path, { force: true })
  }
}

/** @returns the server of a data folder; `undefined` if there is none or it is not ready yet */
export function readRunning(dataDir: string): RunningServer | undefined {
  const found = read(dataDir)
  return found && isAlive(found) ? found : undefined
}

/** Whether the process is alive, and its number was not reused. */
export function isAlive({ pid, startedAt }: Pick<RunningServer, 'pid' | 'startedAt'>): boolean {
  const found = findProcess(pid)
  return found !== undefined && (startedAt === '' || found.startedAt === startedAt)
}

function read(dataDir: string): RunningServer | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as RunningServer
  } catch {
    return undefined // the file is missing or incomplete
  }
}
