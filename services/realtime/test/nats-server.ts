import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Debian's package puts it where only administrators look. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']

/** Finds the program of a NATS server: that in NATS_SERVER_PATH, or an installed one. */
export function findNatsServer(): string | undefined {
  const given = process.env['NATS_SERVER_PATH']
  return [...(given ? [given] : []), ...FOLDERS.map((folder) => join(folder, 'nats-server'))].find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Starts a NATS server and waits until it listens. */
export async function startNatsServer(program: string, port: number): Promise<AsyncDisposable> {
  const child = spawn(program, ['--addr', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' })
  const gone = once(child, 'exit')
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    await pause(20)
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
