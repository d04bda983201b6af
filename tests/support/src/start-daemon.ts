import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Starts a server program and waits until it listens on a port of the loopback address. Disposal kills it. */
export async function startDaemon(
  program: string,
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<AsyncDisposable> {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } })
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
