import { connect, createServer } from 'node:net'
import { outwait } from '@holdfast/foundation'
import { portBusy, portHeld } from './errors.ts'

const HOST = '127.0.0.1'

/** Longest wait in ms for a port held by a connection without a listener, and the poll interval. */
const PATIENCE = { timeoutMs: 3_000, pauseMs: 100 }

/**
 * Ensures that Postgres can listen on a port. The default lies in the ephemeral range, so a port held only by an outgoing connection is waited for.
 *
 * @param wanted - 0 chooses a free one
 * @throws {HoldfastError} `postgres_port_busy`
 */
export async function choosePort(wanted: number): Promise<number> {
  try {
    return await outwait(() => tryPort(wanted), {
      ...PATIENCE,
      passes: async (error) => codeOf(error) === 'EADDRINUSE' && !(await isAnswered(wanted)),
    })
  } catch (error) {
    if (codeOf(error) === 'EACCES') throw portBusy(wanted)
    if (codeOf(error) !== 'EADDRINUSE') throw error
    throw (await isAnswered(wanted)) ? portBusy(wanted) : portHeld(wanted)
  }
}

function tryPort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ port: wanted, host: HOST, exclusive: true }, () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : wanted
      probe.close(() => resolve(port))
    })
  })
}

/** Whether something listens on the port. A connection using it as its local end does not accept connections. */
function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port })
    const settle = (isAnswer: boolean) => (): void => {
      socket.destroy()
      resolve(isAnswer)
    }
    socket.once('connect', settle(true)).once('error', settle(false))
  })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
