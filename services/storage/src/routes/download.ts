import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { StorageContext } from '../context.ts'
import type { ObjectName } from '../database/objects.ts'
import { findReadable, type ReadAccess } from '../objects/read-object.ts'
import type { Operation } from '../operations.ts'
import { openRequest, userKeyOf } from '../request/open-request.ts'
import { requireText } from '../request/names.ts'
import { invalidSignature, noSuchKey } from '../errors.ts'
import { sendObject } from '../response/send-object.ts'

interface DownloadRoute {
  readonly Params: { readonly bucket: string; readonly '*': string }
  readonly Querystring: { readonly download?: string | readonly string[] }
}

const SIGNED_QUERY = { type: 'object', required: ['token'], properties: { token: { type: 'string' } } }

/** `GET /object/…`: downloads. */
export function downloadRoutes(context: StorageContext): FastifyPluginAsync {
  return async (app) => {
    const download =
      (operation: Operation, access: ReadAccess) =>
      async (request: FastifyRequest<DownloadRoute>, reply: FastifyReply) => {
        const database = openRequest(context, request, operation)
        const name = nameOf(request.params)
        return sendObject(context, request, reply, {
          userKey: userKeyOf(request),
          find: () => findReadable(database, name, access),
          download: textOf(request.query.download),
        })
      }
    const options = { exposeHeadRoute: false }
    app.get<DownloadRoute>('/object/:bucket/*', options, download('storage.object.get_authenticated', 'caller'))
    app.get<DownloadRoute>(
      '/object/authenticated/:bucket/*',
      options,
      download('storage.object.get_authenticated', 'caller'),
    )
    app.get<DownloadRoute>('/object/public/:bucket/*', options, download('storage.object.get_public', 'public'))

    app.get<DownloadRoute & { readonly Querystring: { readonly token: string } }>(
      '/object/sign/:bucket/*',
      { ...options, schema: { querystring: SIGNED_QUERY } },
      async (request, reply) => {
        const name = nameOf(request.params)
        const { expiresAtS, transformations } = await context.urls.verifyDownload(request.query.token, name)
        // A user allowed to see a thumbnail may not be allowed to see the original.
        if (transformations !== undefined) throw invalidSignature('Token is scoped for a transformed image')
        const database = openRequest(context, request, 'storage.object.get_signed')
        return sendObject(context, request, reply, {
          userKey: userKeyOf(request),
          find: () => findReadable(database, name, 'signed'),
          download: textOf(request.query.download),
          expiresAtS,
        })
      },
    )
  }
}

/** Returns the requested object's name. An invalid name counts as absent. */
export function nameOf(params: DownloadRoute['Params']): ObjectName {
  const key = params['*']
  if (key.includes('\0')) throw noSuchKey()
  return { bucketId: requireText(params.bucket), key }
}

/** Returns the last value of a repeated parameter. */
export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.at(-1)
}
