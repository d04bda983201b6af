import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { StorageContext } from '../context.ts'
import { sizeOf, type ObjectRow } from '../database/objects.ts'
import { describeTransform, parseTransform } from '../images/transform.ts'
import { findReadable, type ReadAccess } from '../objects/read-object.ts'
import type { Operation } from '../operations.ts'
import { openRequest } from '../request/open-request.ts'
import { isUnchanged, objectHeaders } from '../response/object-headers.ts'
import { nameOf } from './download.ts'

interface InfoRoute {
  readonly Params: { readonly bucket: string; readonly '*': string }
  readonly Querystring: Readonly<Record<string, string | undefined>>
}

/** `HEAD /object/…` and `GET /object/info/…`: the metadata of an object. */
export function objectInfoRoutes(context: StorageContext): FastifyPluginAsync {
  return async (app) => {
    const find = (request: FastifyRequest<InfoRoute>, operation: Operation, access: ReadAccess): Promise<ObjectRow> =>
      findReadable(openRequest(context, request, operation), nameOf(request.params), access)
    const head =
      (operation: Operation, access: ReadAccess) => async (request: FastifyRequest<InfoRoute>, reply: FastifyReply) => {
        const row = await find(request, operation, access)
        const headers = { ...objectHeaders({ row }), ...transformHeader(request) }
        if (isUnchanged(row, request.headers)) return reply.code(304).headers(headers).send()
        return reply.headers({ ...headers, 'content-length': String(sizeOf(row)) }).send()
      }
    const info =
      (operation: Operation, access: ReadAccess) => async (request: FastifyRequest<InfoRoute>, reply: FastifyReply) => {
        reply.headers(transformHeader(request))
        return renderInfo(await find(request, operation, access))
      }

    app.head<InfoRoute>('/object/:bucket/*', head('object.head_authenticated_info', 'caller'))
    app.head<InfoRoute>('/object/authenticated/:bucket/*', head('object.head_authenticated_info', 'caller'))
    app.head<InfoRoute>('/object/public/:bucket/*', head('storage.object.info_public', 'public'))
    const options = { exposeHeadRoute: false }
    app.get<InfoRoute>('/object/info/:bucket/*', options, info('object.get_authenticated_info', 'caller'))
    app.get<InfoRoute>('/object/info/authenticated/:bucket/*', options, info('object.get_authenticated_info', 'caller'))
    app.get<InfoRoute>('/object/info/public/:bucket/*', options, info('storage.object.info_public', 'public'))
  }
}

/** As in Supabase, these routes accept transform parameters and echo them without rendering. @throws {HoldfastError} `InvalidRequest` */
function transformHeader({ query }: FastifyRequest<InfoRoute>): Readonly<Record<string, string>> {
  const transform = describeTransform(parseTransform(query))
  return transform === '' ? {} : { 'x-transformations': transform }
}

function renderInfo(row: ObjectRow): Readonly<Record<string, unknown>> {
  const { id, name, version, bucket_id, metadata, user_metadata, updated_at, created_at } = row
  return {
    id,
    name,
    version,
    bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: user_metadata,
    last_modified: updated_at,
    created_at,
  }
}
