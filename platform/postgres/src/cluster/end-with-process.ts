import type { ChildProcess } from 'node:child_process'
import { findProcess } from './processes.ts'

/** Milliseconds that a child gets after its signal: an immediate shutdown of Postgres kills its remaining processes after 5 s itself. */
const PATIENCE_MS = 7_000

/** Milliseconds between two looks at whether it has ended. */
const POLL_MS = 10

/**
 * Ends a child when this process ends without having closed it: after `process.exit()`, by a second signal, a bug, or a time-out. The process does not end
 * before it. Nothing helps against SIGKILL of this process; the next start on the data folder ends what that leaves.
 *
 * @param end - sends the signal that ends it at once
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

/** Blocks this thread: while a process exits, nothing asynchronous runs any more. */
function hasEndedWithin(pid: number, timeoutMs: number): boolean {
  const deadline = performance.now() + timeoutMs
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  while (findProcess(pid) !== undefined) {
    if (performance.now() > deadline) return false
    Atomics.wait(sleeper, 0, 0, POLL_MS)
  }
  return true
}
