import { createServer } from 'node:net'
import { HoldfastError } from '@holdfast/foundation'

/**
 * Makes sure that a port can be listened on, before time goes into everything that will be served on it.
 *
 * @param port - 0 picks a free one
 * @returns the port
 * @throws {HoldfastError} `port_busy`, `port_forbidden`, `host_unknown`
 */
export function findPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => reject(explainListen(error, host, port)))
    probe.listen({ port, host, exclusive: true }, () => {
      const address = probe.address()
      const found = typeof address === 'object' && address ? address.port : port
      probe.close(() => resolve(found))
    })
  })
}

/** Says in words why listening failed. */
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
