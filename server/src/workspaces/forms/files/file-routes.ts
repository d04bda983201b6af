import type { FastifyPluginAsync } from 'fastify'
import { type Clock, HoldfastError, Semaphore } from '@holdfast/foundation'
import { networkOf } from '@holdfast/http'
import { createVisitorLimit, tooManyRequests } from '../../visitors.ts'
import type { VisitorFiles } from './visitor-files.ts'
import { UUID } from './offered-files.ts'

/** Bytes of a piece of a file. */
const PIECE_BYTES_MAX = 2_097_152

/** Pieces of one network in a minute, and at once: of all visitors and of one network. */
const PIECES_MAX = 600
const AT_ONCE_MAX = 8
const AT_ONCE_PER_NETWORK_MAX = 3
const WAITING_MAX = 50

const SLUG = /^[\w-]{22}$/

/**
 * `PATCH /app/v1/forms/<slug>/files/<id>` with a piece of a file and its `upload-offset`: answers `{offset}`, how many bytes the server has. A piece that is no
 * continuation changes nothing.
 */
export function fileRoutes(files: VisitorFiles, clock: Clock): FastifyPluginAsync {
  const permits = new Semaphore({
    permits: AT_ONCE_MAX,
    perKeyMax: AT_ONCE_PER_NETWORK_MAX,
    waitingMax: WAITING_MAX,
    refuse: () => tooManyRequests(2),
  })
  const limit = createVisitorLimit(PIECES_MAX, clock)
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: PIECE_BYTES_MAX }, (_request, body, done) =>
      done(null, body),
    )
    app.addHook('onRequest', async ({ ip }) => limit(networkOf(ip)))
    app.patch<{ Params: { slug: string; id: string } }>('/app/v1/forms/:slug/files/:id', async (request, reply) => {
      const { slug, id } = request.params
      const offset = Number(request.headers['upload-offset'])
      const { body } = request
      if (!SLUG.test(slug) || !UUID.test(id)) throw new HoldfastError('file_not_found', 404, 'There is no such file.')
      if (!Number.isSafeInteger(offset) || offset < 0 || !Buffer.isBuffer(body))
        throw new HoldfastError('invalid_request', 400, 'Send bytes, and their upload-offset.')
      const arrived = await permits.run({ key: networkOf(request.ip) }, () => files.append(slug, id, offset, body))
      return await reply.header('cache-control', 'no-store').send({ offset: arrived })
    })
  }
}
