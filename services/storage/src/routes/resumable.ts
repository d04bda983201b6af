import { Readable } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import type { StorageContext } from '../context.ts'
import { toStorageError } from '../database/postgres-error.ts'
import { UPLOADS_SWEEP_EVERY_MS } from '../limits.ts'
import { userKeyOf } from '../request/open-request.ts'
import { renderError } from '../response/render-error.ts'
import type { ResumableUploads } from '../resumable/resumable-uploads.ts'
import type { Uploads } from '../resumable/uploads.ts'

const PATH = '/upload/resumable'

/** TUS routes: `POST|HEAD|PATCH|DELETE|OPTIONS /upload/resumable[/…]`, and the same under `/sign` for signed-upload tokens. */
export function resumableRoutes(context: StorageContext, store: Uploads): FastifyPluginAsync {
  return async (app) => {
    const { logger } = context
    const sweeping = setInterval(() => {
      store
        .deleteExpired()
        .catch((error: unknown) =>
          logger.log('warn', 'expired uploads could not be deleted', { error: errorMessage(error) }),
        )
    }, UPLOADS_SWEEP_EVERY_MS)
    sweeping.unref()
    app.addHook('onClose', async () => clearInterval(sweeping))
    app.setErrorHandler((error, request, reply) => renderPlain(error, request, reply, context))
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, body, done) => done(null, body))

    const serve = (path: string, isSigned: boolean): void => {
      let uploads: Promise<ResumableUploads> | undefined
      const open = (): Promise<ResumableUploads> =>
        (uploads ??= openUploads(context, store, { path: app.prefix + path, isSigned }))
      for (const url of [path, `${path}/*`]) {
        app.route({
          method: ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'],
          url,
          config: { streamsBody: true },
          exposeHeadRoute: false,
          handler: async (request, reply) => answer(context, await open(), request, reply),
        })
      }
    }
    serve(PATH, false)
    serve(`${PATH}/sign`, true)
  }
}

/** Imports the library with the first upload, because it pulls in Node's `fetch` implementation. */
async function openUploads(...given: ConstructorParameters<typeof ResumableUploads>): Promise<ResumableUploads> {
  const module = await import('../resumable/resumable-uploads.ts')
  return new module.ResumableUploads(...given)
}

async function answer(
  context: StorageContext,
  uploads: ResumableUploads,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const leave = hasBody(request) ? context.uploads.acquireNow({ key: userKeyOf(request) }) : undefined
  try {
    const response = await uploads.handle(toWebRequest(request), request)
    const text = await response.text()
    for (const [name, value] of response.headers) {
      // The gateway sets CORS headers.
      if (!name.startsWith('access-control-') && name !== 'content-length') reply.header(name, value)
    }
    return await reply.code(response.status).send(text === '' ? undefined : text)
  } finally {
    leave?.()
  }
}

function hasBody({ body }: FastifyRequest): boolean {
  return body instanceof Readable
}

function toWebRequest(request: FastifyRequest): Request {
  const { method, protocol, host, url, body } = request
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const stream = body instanceof Readable ? (Readable.toWeb(body) as ReadableStream<Uint8Array>) : undefined
  return new Request(`${protocol}://${host}${url}`, {
    method,
    headers,
    ...(stream && { body: stream, duplex: 'half' }),
  })
}

/** TUS clients expect a plain-text error instead of JSON. */
function renderPlain(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger }: StorageContext,
): FastifyReply {
  const error = toStorageError(thrown)
  if (!(error instanceof HoldfastError) || error.status >= 500) return renderError(thrown, request, reply, logger)
  return reply
    .code(error.status)
    .headers({ 'cache-control': 'no-store', 'tus-resumable': '1.0.0', ...error.headers })
    .type('text/plain; charset=utf-8')
    .send(error.message)
}
