import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { delay, errorMessage, type HoldfastError, type Logger } from '@holdfast/foundation'
import { queryable, type Queryable } from '../connection/pool.ts'
import { isConnectionLoss } from '../connection/sqlstate.ts'
import type { Binaries } from './binaries.ts'
import { endWithProcess } from './end-with-process.ts'
import { diskFull, portBusy, startFailed } from './errors.ts'
import type { Identity } from './identity.ts'

/** Log lines kept to explain a failure. */
const LOG_LINES_MAX = 30

/** Poll interval in ms while Postgres starts. */
const POLL_MS = 10

/** Start timeout in ms. Recovery after a crash may take minutes. */
const START_TIMEOUT_MS = 10 * 60_000

/** Timeout in ms of a fast shutdown (which writes a checkpoint), then of an immediate one. */
const STOP_TIMEOUT_MS = 15_000
const QUIT_TIMEOUT_MS = 5_000

/** A running `postgres` process. */
export interface Postmaster {
  readonly pid: number
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>
  /** The last lines of its log. */
  logLines(): readonly string[]
  /** Fast shutdown, falling back to an immediate one. */
  stop(): Promise<void>
}

export interface PostmasterOptions {
  readonly binaries: Binaries
  readonly identity: Identity
  readonly databaseDir: string
  readonly settings: readonly string[]
  readonly internalUrl: string
  readonly port: number
  readonly logger: Logger
  /** Cancels the start and stops Postgres, even during recovery. */
  readonly signal?: AbortSignal | undefined
  /** Called when the process runs. */
  readonly onSpawned?: (() => void) | undefined
  /** Runs on the first successful connection, as the user of `internalUrl`. If it fails, Postgres is stopped. */
  readonly prepare?: ((db: Queryable) => Promise<void>) | undefined
}

/**
 * Starts Postgres as a direct child and waits until it accepts connections. It ends with this process, except on SIGKILL.
 *
 * @throws the signal's reason; errors of `prepare`; {HoldfastError} `postgres_port_busy`, `postgres_disk_full`, `postgres_start_failed`
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { identity, binaries, databaseDir, logger } = options
  const command = [...identity.prefix, binaries.postgres, '-D', databaseDir, ...options.settings]
  const child = spawn(command[0] ?? '', command.slice(1), {
    ...identity.user,
    cwd: databaseDir,
    // A separate process group: Ctrl-C is for this process, which stops Postgres after everything that uses it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: childEnvironment(),
  })
  endWithProcess(child, (signal) => void child.kill(signal))
  options.onSpawned?.()
  const lines: string[] = []
  let isStopping = false
  const exited = watchChild(child, lines, (line) => logger.log(levelOf(line, isStopping), line, { source: 'postgres' }))
  const postmaster: Postmaster = {
    pid: child.pid ?? -1,
    exited,
    logLines: () => [...lines],
    stop() {
      isStopping = true
      return stopChild(child, exited, options)
    },
  }
  const outcome = await Promise.race([
    waitUntilReady(options, () => child.exitCode !== null || child.signalCode !== null),
    exited.then(() => 'exited' as const),
  ]).catch(async (error: unknown) => {
    await postmaster.stop()
    throw error
  })
  if (outcome === 'ready') return postmaster
  await postmaster.stop()
  options.signal?.throwIfAborted()
  throw outcome === 'exited'
    ? explainExit(lines, options.port)
    : startFailed('Postgres did not accept connections in time.', lines)
}

/** Environment for Postgres, without the shell's `PG*` variables. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name))
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' }
}

/** Alarming log lines, and those expected during start or stop. */
const ALARM = /^(FATAL|PANIC)/
const STARTING = /^FATAL:  the database system is (?:starting up|not yet accepting connections)/
const STOPPING = /^FATAL:  (?:terminating .* due to administrator command|the database system is shutting down)/

function levelOf(line: string, isStopping: boolean): 'warn' | 'debug' {
  const isExpected = STARTING.test(line) || (isStopping && STOPPING.test(line))
  return ALARM.test(line) && !isExpected ? 'warn' : 'debug'
}

function watchChild(child: ChildProcess, lines: string[], onLine: (line: string) => void): Promise<void> {
  const { stderr } = child
  if (stderr) {
    createInterface({ input: stderr }).on('line', (line) => {
      lines.push(line)
      if (lines.length > LOG_LINES_MAX) lines.shift()
      onLine(line)
    })
  }
  return new Promise((resolve) => {
    child.once('error', (error) => {
      lines.push(errorMessage(error))
      resolve()
    })
    // `close` follows the last log line, but only once no grandchild holds the pipe.
    child.once('close', () => resolve())
    child.once('exit', () => setTimeout(resolve, 200).unref())
  })
}

async function waitUntilReady(
  options: PostmasterOptions,
  hasEnded: () => boolean,
): Promise<'ready' | 'timeout' | 'exited'> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline && options.signal?.aborted !== true) {
    if (hasEnded()) return new Promise(() => undefined) // the exit settles the race, with the complete log
    const client = new Client({ connectionString: options.internalUrl, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined) // a broken connection also rejects `connect`
    const failure = await client.connect().then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    try {
      if (!failure) {
        await options.prepare?.(queryable(client))
        return 'ready'
      }
      if (!isConnectionLoss(failure.error))
        throw startFailed(`Postgres refuses our connection: ${errorMessage(failure.error)}`, [], failure.error)
    } finally {
      await client.end().catch(() => undefined) // not open, or gone
    }
    await delay(POLL_MS)
  }
  return 'timeout'
}

function explainExit(lines: readonly string[], port: number): HoldfastError {
  const text = lines.join('\n')
  if (/could not bind|Address already in use/.test(text)) return portBusy(port)
  if (/No space left on device/.test(text)) return diskFull(lines)
  return startFailed('Postgres did not start.', lines)
}

async function stopChild(child: ChildProcess, exited: Promise<void>, options: PostmasterOptions): Promise<void> {
  if (process.platform === 'win32') {
    spawnSync(options.binaries.pgCtl, ['stop', '-D', options.databaseDir, '-m', 'fast', '-w'], { windowsHide: true })
  } else {
    child.kill('SIGINT')
  }
  if (await settlesWithin(exited, STOP_TIMEOUT_MS)) return
  options.logger.log(
    'warn',
    'Postgres takes too long to stop and is stopped at once; it will recover at the next start',
  )
  child.kill('SIGQUIT')
  if (await settlesWithin(exited, QUIT_TIMEOUT_MS)) return
  child.kill('SIGKILL')
  await exited
}

async function settlesWithin(work: Promise<void>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController()
  const timeout = delay(timeoutMs, timer.signal).then(
    () => false,
    () => true,
  )
  const settled = await Promise.race([work.then(() => true), timeout])
  timer.abort()
  return settled
}
