import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { delay, type Logger } from '@holdfast/foundation'
import { startFailed } from './errors.ts'
import { findProcess, findProcesses, type ProcessInfo } from './processes.ts'

/** Time in ms for leftover processes to end after each signal. */
const LEFTOVER_PATIENCE_MS = 5_000

/** Time in ms before the first signal if the postmaster is gone: idle processes notice immediately, and nothing can start while others are busy. */
const ORPHAN_PATIENCE_MS = 500

/**
 * Makes a data folder startable after a crash: stops a Postgres that outlived its Holdfast, waits for its last processes, and removes a `postmaster.pid` whose
 * number now belongs to a zombie or another process (with which Postgres refuses to start).
 *
 * The caller holds the folder's lock, so any running process on it is a leftover.
 */
export async function recoverFromCrash(databaseDir: string, clusterName: string, logger: Logger): Promise<void> {
  const pidFile = join(databaseDir, 'postmaster.pid')
  const postmasterPid = readPid(pidFile)
  if (postmasterPid === undefined) return

  const leftovers = (): readonly ProcessInfo[] => findProcesses(clusterName)
  const first = leftovers()
  if (first.length > 0) {
    logger.log('warn', 'stopping a Postgres that was left running', { pids: first.map((found) => found.pid) })
    const postmaster = first.find((found) => found.pid === postmasterPid)
    if (postmaster) signal(postmaster, 'SIGINT')
    let timeoutMs = postmaster ? LEFTOVER_PATIENCE_MS : ORPHAN_PATIENCE_MS
    for (const next of ['SIGQUIT', 'SIGKILL'] as const) {
      if (await waitUntil(() => leftovers().length === 0, timeoutMs)) break
      timeoutMs = LEFTOVER_PATIENCE_MS
      for (const leftover of leftovers()) signal(leftover, next)
    }
    if (!(await waitUntil(() => leftovers().length === 0, LEFTOVER_PATIENCE_MS))) {
      throw startFailed('A Postgres of an earlier run is still running and cannot be stopped.', [])
    }
  }

  const holder = findProcess(postmasterPid)
  if (readPid(pidFile) === postmasterPid && (!holder || !holder.command.includes(clusterName)))
    rmSync(pidFile, { force: true })
}

/**
 * Ends an `initdb` that outlived its Holdfast, including its Postgres in the same process group.
 *
 * @param argument - unique argument of its command line
 * @throws {HoldfastError} `postgres_start_failed`
 */
export async function endLeftoverInitdb(argument: string): Promise<void> {
  for (const leftover of findProcesses(argument)) signalGroup(leftover, 'SIGKILL')
  if (await waitUntil(() => findProcesses(argument).length === 0, LEFTOVER_PATIENCE_MS)) return
  throw startFailed('An initdb of an earlier run is still running and cannot be stopped.', [])
}

function readPid(pidFile: string): number | undefined {
  try {
    return Math.abs(Number.parseInt(readFileSync(pidFile, 'utf8'), 10)) || undefined
  } catch {
    return undefined
  }
}

function signal(target: ProcessInfo, name: NodeJS.Signals): void {
  send(target, target.pid, name)
}

function signalGroup(leader: ProcessInfo, name: NodeJS.Signals): void {
  send(leader, -leader.pid, name)
}

function send(target: ProcessInfo, id: number, name: NodeJS.Signals): void {
  // The PID may have been reused since the check.
  if (findProcess(target.pid)?.startedAt !== target.startedAt) return
  try {
    process.kill(id, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    await delay(20)
  }
  return true
}
