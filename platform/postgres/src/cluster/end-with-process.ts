import type { ChildProcess } from 'node:child_process'
import { findProcess } from './processes.ts'

/** Time in ms for a signaled child: an immediate shutdown kills remaining Postgres processes after 5 s. */
const PATIENCE_MS = 7_000

/** Poll interval in ms. */
const POLL_MS = 10

/**
 * Ends a child when this process exits without closing it: on `process.exit()`, a second signal, a bug, or a timeout. Delays the exit until the child has
 * ended. After SIGKILL, the next start on the data folder ends leftovers.
 *
 * @param end - sends the signal for an immediate end
 */
export function endWithProcess(child: ChildProcess, end: (signal: 'SIGQUIT' | 'SIGKILL') => void): void {
  const { pid } = child
  if (pid === undefined) return
  const onExit = (): void => {
    end('SIGQUIT')
    if (!hasEndedWithin(pid, PATIENCE_MS)) end('SIGKILL')
    hasEndedWithin(pid, PATIENCE_MS)
  }
  process.once('exit', onExit)
  child.once('exit', () => process.off('exit', onExit))
}

/** Blocks the thread, because nothing asynchronous runs while a process exits. */
function hasEndedWithin(pid: number, timeoutMs: number): boolean {
  const deadline = performance.now() + timeoutMs
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  while (findProcess(pid) !== undefined) {
    if (performance.now() > deadline) return false
    Atomics.wait(sleeper, 0, 0, POLL_MS)
  }
  return true
}
