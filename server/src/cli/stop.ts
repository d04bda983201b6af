import { resolve } from 'node:path'
import { delay, HoldfastError } from '@holdfast/foundation'
import { readLockHolder } from '@holdfast/postgres'
import { options } from '../config/options.ts'
import { isAlive, readRunning } from '../running-file.ts'
import { readSettings, type CommandInput } from './command.ts'

/** Poll interval in ms. */
const POLL_MS = 100

/** Additional time in ms beyond `closeSeconds`, after which the server exits by itself. */
const GRACE_MS = 5_000

/**
 * `holdfast stop`: ends the data folder's server like Ctrl-C and waits for it and its Postgres. No error if none is running.
 *
 * @returns the exit code
 * @throws {HoldfastError} `server_starting`, `server_does_not_stop`
 */
export async function stop(input: CommandInput): Promise<number> {
  const config = readSettings(options, input)
  const dataDir = resolve(config.dataDir)
  const running = readRunning(dataDir)
  const print = (stopped: boolean, text: string): void =>
    input.out(config.json ? `${JSON.stringify({ stopped, dataDir })}\n` : `${text}\n`)
  if (running === undefined) {
    const holder = readLockHolder(dataDir)
    if (holder !== undefined) throw serverStarting(holder)
    print(false, `No server runs on ${config.dataDir}.`)
    return 0
  }
  process.kill(running.pid, 'SIGTERM')
  const deadline = performance.now() + config.closeSeconds * 1_000 + GRACE_MS
  while (isAlive(running)) {
    if (performance.now() > deadline) throw doesNotStop(running.pid)
    await delay(POLL_MS)
  }
  print(true, `Stopped the server on ${running.ready.base}.`)
  return 0
}

function serverStarting(pid: number): HoldfastError {
  return new HoldfastError(
    'server_starting',
    500,
    `Process ${pid} uses the data folder, and is no server that is ready.`,
    {
      hint: 'Try again when it has started, or end it there with Ctrl-C.',
    },
  )
}

function doesNotStop(pid: number): HoldfastError {
  return new HoldfastError('server_does_not_stop', 500, `Process ${pid} was told to stop and has not.`, {
    hint: 'Its log says what it waits for. A second signal ends it at once.',
  })
}
