import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Check interval in ms for incomplete heads. */
const LOOK_MS = 1_000

/** A connection. `headFrom`: bytes read when the current head started; `undefined` while a request runs. */
interface Connection {
  readonly socket: Socket
  headFrom: number | undefined
}

/**
 * Bounds the memory of incomplete request heads. Above the limit, cuts connections of the address holding the most, largest first.
 *
 * Node parses heads before any hook runs, so heads are measured by the connection's read bytes.
 */
export function limitHeadMemory(app: FastifyInstance, bytesMax: number): void {
  const connections = new Map<Socket, Connection>()
  let looking: NodeJS.Timeout | undefined

  app.server.on(app.initialConfig.https ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, { socket, headFrom: 0 })
    socket.once('close', () => connections.delete(socket))
    looking ??= setInterval(look, LOOK_MS).unref()
  })
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket)
    if (!connection) return
    connection.headFrom = undefined
    response.once('close', () => (connection.headFrom = socket.bytesRead))
  })
  app.server.on('upgrade', ({ socket }: IncomingMessage) => connections.delete(socket))
  app.addHook('onClose', async () => clearInterval(looking))

  function look(): void {
    const heads = [...connections.values()].flatMap(({ socket, headFrom }) => {
      const bytes = headFrom === undefined ? 0 : socket.bytesRead - headFrom
      return bytes > 0 ? [{ socket, bytes, address: socket.remoteAddress ?? '' }] : []
    })
    for (const { socket } of headsToCut(heads, bytesMax)) socket.destroy()
    if (connections.size > 0) return
    clearInterval(looking)
    looking = undefined
  }
}

interface Head {
  readonly bytes: number
  readonly address: string
}

/** Selects heads to cut so that the rest fits `bytesMax`. The address with the most bytes loses its largest head first. */
export function headsToCut<T extends Head>(heads: readonly T[], bytesMax: number): T[] {
  const bytesOf = new Map<string, number>()
  let total = 0
  for (const { address, bytes } of heads) {
    bytesOf.set(address, (bytesOf.get(address) ?? 0) + bytes)
    total += bytes
  }
  const left = total > bytesMax ? heads.toSorted((a, b) => b.bytes - a.bytes) : []
  const cut: T[] = []
  while (total > bytesMax) {
    const [greediest] = [...bytesOf].reduce((most, entry) => (entry[1] > most[1] ? entry : most))
    const [head] = left.splice(
      left.findIndex(({ address }) => address === greediest),
      1,
    )
    if (!head) break
    cut.push(head)
    total -= head.bytes
    bytesOf.set(greediest, (bytesOf.get(greediest) ?? 0) - head.bytes)
  }
  return cut
}
