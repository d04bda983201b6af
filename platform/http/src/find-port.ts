import { connect, createServer } from 'node:net'
import { HoldfastError, outwait } from '@holdfast/foundation'
import { PORT_PATIENCE_MS } from './limits.ts'

/** Poll interval in ms. */
const PORT_PAUSE_MS = 100

/** Time in ms for a listener to respond. */
const ANSWER_MS = 500

/**
 * Ensures that a port is available before starting everything else. Default ports lie in the ephemeral range, so the server waits for a port held only by an
 * outgoing connection.
 *
 * @param port - 0 chooses a free one
 * @returns the port
 * @throws {HoldfastError} `port_busy`, `port_forbidden`, `host_unknown`
 */
export async function findPort(host: string, port: number): Promise<number> {
  try {
    return await outwait(() => tryPort(host, port), {
      timeoutMs: PORT_PATIENCE_MS,
      pauseMs: PORT_PAUSE_MS,
      passes: async (error) => isInUse(error) && !(await isAnswered(host, port)),
    })
  } catch (error) {
    if (isInUse(error) && !(await isAnswered(host, port))) throw heldByConnection(error, host, port)
    throw explainListen(error as NodeJS.ErrnoException, host, port)
  }
}

function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ port, host, exclusive: true }, () => {
      const address = probe.address()
      const found = typeof address === 'object' && address ? address.port : port
      probe.close(() => resolve(found))
    })
  })
}

function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
}

/** Whether something listens on the port. A connection using it as its local end does not accept connections. */
function isAnswered(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port })
    const settle = (isAnswer: boolean) => (): void => {
      socket.destroy()
      resolve(isAnswer)
    }
    socket.once('connect', settle(true)).once('error', settle(false)).setTimeout(ANSWER_MS, settle(true))
  })
}

function heldByConnection(cause: unknown, host: string, port: number): HoldfastError {
  return new HoldfastError('port_busy', 500, `Port ${port} on ${host} is in use by a connection of another program.`, {
    hint: 'No program listens there; it is free again within a minute of the end of that connection. Try again, or choose another port with --port.',
    cause,
  })
}

/** Explains why listening failed. */
export function explainListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new HoldfastError('port_busy', 500, `Port ${port} on ${host} is already in use.`, {
        hint: 'Stop what uses it, or choose another port with --port.',
        cause: error,
      })
    case 'EACCES':
      return new HoldfastError('port_forbidden', 500, `Port ${port} on ${host} may not be opened by this user.`, {
        hint: 'Choose a port above 1023 with --port.',
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new HoldfastError('host_unknown', 500, `${host} is not an address of this machine.`, {
        hint: 'Use 127.0.0.1 for this machine only, or 0.0.0.0 for everybody in the network, with --host.',
        cause: error,
      })
    default:
      return error
  }
}
