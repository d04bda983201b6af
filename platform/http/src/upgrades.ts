import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A connection that a client wants to upgrade. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** Bytes received after the request. */
  readonly head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Whether a request is for a WebSocket. Other upgrades, such as HTTP/2, are ignored. */
export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Routes WebSocket requests like all others. A route takes over the connection with {@link takeUpgrade}; any other response ends it. */
export function routeUpgrades(app: FastifyInstance): void {
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // The service adds its own listener; until then errors are ignored.
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.once('finish', () => socket.end())
    response.assignSocket(socket)
    upgrades.set(request, { request, socket, head })
    app.routing(request, response)
  })
}

/** Whether the client is waiting for the response to an upgrade. */
export function isUpgrade(request: FastifyRequest): boolean {
  return upgrades.has(request.raw)
}

/**
 * Takes over a request's connection; no response is possible afterwards.
 *
 * @returns `undefined` if there is none
 */
export function takeUpgrade(request: FastifyRequest, reply: FastifyReply): Upgrade | undefined {
  const upgrade = upgrades.get(request.raw)
  if (!upgrade) return undefined
  upgrades.delete(request.raw)
  reply.hijack()
  reply.raw.removeAllListeners('finish')
  reply.raw.detachSocket(upgrade.socket as Socket)
  return upgrade
}
