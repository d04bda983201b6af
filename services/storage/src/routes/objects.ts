import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requireCaller } from '@holdfast/http'
import type { StorageContext } from '../context.ts'
import { KEYS_PER_REQUEST_MAX, LIST_PAGE_MAX, LIST_V2_PAGE_MAX } from '../limits.ts'
import { copyObject } from '../objects/copy-object.ts'
import { deleteObject, deleteObjects } from '../objects/delete-objects.ts'
import { listObjects } from '../objects/list-objects.ts'
import { listPage } from '../objects/list-objects-v2.ts'
import { moveObject } from '../objects/move-object.ts'
import { parseObjectName, requireBucketName } from '../request/names.ts'
import { openRequest } from '../request/open-request.ts'
import { parseMetadataHeader } from '../request/user-metadata.ts'
import { nameOf } from './download.ts'

const ObjectParams = Type.Object({ bucket: Type.String(), '*': Type.String() })
const BucketParams = Type.Object({ bucket: Type.String() })

const DeleteBody = Type.Object({
  prefixes: Type.Array(Type.String(), { minItems: 1, maxItems: KEYS_PER_REQUEST_MAX }),
})

const MoveBody = Type.Object({
  bucketId: Type.String(),
  sourceKey: Type.String(),
  destinationKey: Type.String(),
  destinationBucket: Type.Optional(Type.String()),
})

const CopyBody = Type.Object({
  ...MoveBody.properties,
  metadata: Type.Optional(
    Type.Object({ cacheControl: Type.Optional(Type.String()), mimetype: Type.Optional(Type.String()) }),
  ),
  copyMetadata: Type.Optional(Type.Boolean()),
})

const Order = Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')]))

const ListBody = Type.Object({
  prefix: Type.String(),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  search: Type.Optional(Type.String()),
  sortBy: Type.Optional(
    Type.Object({
      column: Type.Union([
        Type.Literal('name'),
        Type.Literal('updated_at'),
        Type.Literal('created_at'),
        Type.Literal('last_accessed_at'),
      ]),
      order: Order,
    }),
  ),
})

const ListV2Body = Type.Object({
  prefix: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  cursor: Type.Optional(Type.String()),
  with_delimiter: Type.Optional(Type.Boolean()),
  sortBy: Type.Optional(
    Type.Object({
      column: Type.Union([Type.Literal('name'), Type.Literal('updated_at'), Type.Literal('created_at')]),
      order: Order,
    }),
  ),
})

/** `/object`: operations without file bodies. */
export function objectRoutes(context: StorageContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.delete('/object/:bucket/*', { schema: { params: ObjectParams } }, async (request) => {
      await deleteObject(context, openRequest(context, request, 'storage.object.delete'), nameOf(request.params))
      return { message: 'Successfully deleted' }
    })
    app.delete('/object/:bucket', { schema: { params: BucketParams, body: DeleteBody } }, (request) => {
      requireBucketName(request.params.bucket)
      const database = openRequest(context, request, 'storage.object.delete_many')
      return deleteObjects(context, database, request.params.bucket, withoutNul(request.body.prefixes))
    })
    app.post('/object/move', { schema: { body: MoveBody } }, async (request) => {
      const { bucketId, sourceKey, destinationKey, destinationBucket = bucketId } = request.body
      await moveObject(
        context,
        openRequest(context, request, 'storage.object.move'),
        nameOf({ bucket: bucketId, '*': sourceKey }),
        parseObjectName(destinationBucket, destinationKey),
        requireCaller(request).userId,
      )
      return { message: 'Successfully moved' }
    })
    app.post('/object/copy', { schema: { body: CopyBody } }, async (request) => {
      const { bucketId, sourceKey, destinationKey, destinationBucket = bucketId, copyMetadata, metadata } = request.body
      const to = parseObjectName(destinationBucket, destinationKey)
      const row = await copyObject(context, openRequest(context, request, 'storage.object.copy'), {
        from: nameOf({ bucket: bucketId, '*': sourceKey }),
        to,
        owner: requireCaller(request).userId,
        upsert: request.headers['x-upsert'] === 'true',
        copyMetadata: copyMetadata ?? true,
        metadata,
        userMetadata: parseMetadataHeader(request.headers['x-metadata']),
      })
      return { Id: row.id, Key: `${to.bucketId}/${to.key}`, ...row }
    })
    app.post('/object/list/:bucket', { schema: { params: BucketParams, body: ListBody } }, (request) => {
      requireBucketName(request.params.bucket)
      const { prefix, limit = 100, offset = 0, search = '', sortBy } = request.body
      return listObjects(openRequest(context, request, 'storage.object.list'), request.params.bucket, {
        prefix,
        limit: Math.min(limit, LIST_PAGE_MAX),
        offset,
        search,
        column: sortBy?.column ?? 'name',
        order: sortBy?.order ?? 'asc',
      })
    })
    app.post('/object/list-v2/:bucket', { schema: { params: BucketParams, body: ListV2Body } }, (request) => {
      requireBucketName(request.params.bucket)
      const { prefix = '', limit = LIST_V2_PAGE_MAX, cursor, with_delimiter = false, sortBy } = request.body
      return listPage(openRequest(context, request, 'storage.object.list_v2'), request.params.bucket, {
        prefix,
        limit,
        cursor,
        isDelimited: with_delimiter,
        column: sortBy?.column ?? 'name',
        order: sortBy?.order ?? 'asc',
      })
    })
  }
}

/** No object has a key with a NUL. */
function withoutNul(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !key.includes('\0'))
}
