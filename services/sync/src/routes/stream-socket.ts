import type { FastifyPluginAsync } from 'fastify'
import { HoldfastError, errorMessage } from '@holdfast/foundation'
import { decodeJsonInTurn, isUpgrade, takeUpgrade } from '@holdfast/http'
import { invalidRequest } from '../errors.ts'
import type { Decode, DeviceSockets } from '../rsocket/device-sockets.ts'

/**
 * `GET /sync/stream` as a WebSocket: the stream over RSocket, which the public client of React Native uses by default. The token comes in the first frame, so
 * the gateway does not ask for one. Source: the PowerSync service and its clients.
 */
export function streamSocketRoutes(sockets: DeviceSockets): FastifyPluginAsync {
  return async (app) => {
    const inTurn = decodeJsonInTurn(app)
    const decode: Decode = async (body, userId, isAbandoned) => {
      try {
        return await inTurn(body, userId, isAbandoned)
      } catch (error) {
        if (error instanceof HoldfastError) throw error
        throw invalidRequest([errorMessage(error)])
      }
    }
    app.get('/sync/stream', async (request, reply) => {
      if (!isUpgrade(request))
        throw new HoldfastError('PSYNC_S2002', 404, 'The path does not exist on this server', {
          hint: 'Send the request with POST, or open a WebSocket.',
        })
      const accept = sockets.enter({ id: request.id, address: request.ip }, decode)
      const upgrade = takeUpgrade(request, reply)
      if (upgrade) accept(upgrade)
    })
  }
}
