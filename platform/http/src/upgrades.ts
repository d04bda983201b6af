import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A connection that a client wants to speak another protocol on. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** What the client has sent behind its request. */
  readonly head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Whether a request asks for a WebSocket. Whoever asks for anything else, such as HTTP/2, is answered as if they had not. */
export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Leads requests for WebSockets to the routes as all others. A route takes the connection over with {@link takeUpgrade}; any other answer ends it. */
export function routeUpgrades(app: FastifyInstance): void {
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // The service that takes the connection over listens as well; until then an error of it has no consequence.
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.once('finish', () => socket.end())
    response.assignSocket(socket)
    upgrades.set(request, { request, socket, head })
    app.routing(request, response)
  })
}

/** Whether the client waits for the answer to an upgrade. */
export function isUpgrade(request: FastifyRequest): boolean {
  return upgrades.has(request.raw)
}

/**
 * Takes over the connection of a request. Nothing can be answered any more.
 *
 * @returns `undefined` when there is none to be taken
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
