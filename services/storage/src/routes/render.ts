import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { StorageContext } from '../context.ts'
import { IMAGE_TYPES } from '../images/image-format.ts'
import type { ImageRenderer } from '../images/image-renderer.ts'
import { describeTransform, parseSignedTransform, parseTransform, type Transform } from '../images/transform.ts'
import { findReadable, type ReadAccess } from '../objects/read-object.ts'
import type { Operation } from '../operations.ts'
import { openRequest, userKeyOf } from '../request/open-request.ts'
import { objectHeaders } from '../response/object-headers.ts'
import { nameOf, textOf } from './download.ts'

interface RenderRoute {
  readonly Params: { readonly bucket: string; readonly '*': string }
  readonly Querystring: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Access granted by a route, and the transform to apply. */
interface Granted {
  readonly access: ReadAccess
  readonly transform: Transform
  readonly expiresAtS?: number
}

/** `GET|HEAD /render/image/…`: resized and converted images. */
export function renderRoutes(context: StorageContext, images: ImageRenderer): FastifyPluginAsync {
  return async (app) => {
    const serve = (
      kind: 'authenticated' | 'public' | 'sign',
      grant: (request: FastifyRequest<RenderRoute>) => Promise<Granted>,
    ): void => {
      const operation: Operation = `storage.render.image_${kind}`
      app.route<RenderRoute>({
        method: ['GET', 'HEAD'],
        url: `/render/image/${kind}/:bucket/*`,
        exposeHeadRoute: false,
        handler: async (request, reply) => answer(context, images, request, reply, operation, await grant(request)),
      })
    }
    serve('authenticated', async ({ query }) => ({ access: 'caller', transform: parseTransform(query) }))
    serve('public', async ({ query }) => ({ access: 'public', transform: parseTransform(query) }))
    serve('sign', async ({ query, params }) => {
      const {
        expiresAtS,
        transformations = '',
        format,
      } = await context.urls.verifyDownload(textOf(query['token']) ?? '', nameOf(params))
      const transform = parseSignedTransform(transformations)
      return { access: 'signed', expiresAtS, transform: format === 'origin' ? { ...transform, format } : transform }
    })
  }
}

async function answer(
  context: StorageContext,
  images: ImageRenderer,
  request: FastifyRequest<RenderRoute>,
  reply: FastifyReply,
  operation: Operation,
  { access, transform, expiresAtS }: Granted,
): Promise<FastifyReply> {
  const database = openRequest(context, request, operation)
  const row = await findReadable(database, nameOf(request.params), access)
  const leave = context.transforms.acquireNow({ key: userKeyOf(request) })
  try {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort(new Error('the client disconnected')))
    const { bytes, format, eTag } = await images.render({
      version: row.version,
      transform,
      accept: request.headers.accept,
      userKey: userKeyOf(request),
      signal: gone.signal,
    })
    const headers = {
      ...objectHeaders({ row, expiresAtS, download: textOf(request.query['download']) }),
      'accept-ranges': 'none',
      'content-type': IMAGE_TYPES[format],
      'x-transformations': describeTransform(transform),
      etag: eTag,
      ...(transform.format === undefined && { vary: 'accept' }),
    }
    if (request.headers['if-none-match'] === eTag) return await reply.code(304).headers(headers).send()
    return await reply.headers({ ...headers, 'content-length': String(bytes.length) }).send(bytes)
  } finally {
    leave()
  }
}
