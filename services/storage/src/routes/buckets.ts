import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requireCaller } from '@holdfast/http'
import { createBucket, deleteBucket, emptyBucket, getBucket, listBuckets, updateBucket } from '../buckets/buckets.ts'
import type { StorageContext } from '../context.ts'
import { openRequest } from '../request/open-request.ts'

// Validated in `buckets.ts`: Ajv would coerce null to 0.
const FileSizeLimit = Type.Unsafe<unknown>({})
const MimeTypes = Type.Unsafe<readonly string[] | null>({ type: 'array', nullable: true, items: { type: 'string' } })

const NewBucketBody = Type.Object({
  name: Type.String(),
  id: Type.Optional(Type.String()),
  public: Type.Optional(Type.Boolean()),
  type: Type.Optional(Type.Union([Type.Literal('STANDARD'), Type.Literal('ANALYTICS')])),
  file_size_limit: Type.Optional(FileSizeLimit),
  allowed_mime_types: Type.Optional(MimeTypes),
})

const BucketChangesBody = Type.Object(
  {
    public: Type.Optional(Type.Boolean()),
    file_size_limit: Type.Optional(FileSizeLimit),
    allowed_mime_types: Type.Optional(MimeTypes),
  },
  { minProperties: 1 },
)

const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  sortColumn: Type.Optional(
    Type.Union([Type.Literal('id'), Type.Literal('name'), Type.Literal('created_at'), Type.Literal('updated_at')]),
  ),
  sortOrder: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
  search: Type.Optional(Type.String()),
})

const Params = Type.Object({ bucket: Type.String() })

/** `/bucket`: bucket management. */
export function bucketRoutes(context: StorageContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/bucket', { schema: { body: NewBucketBody } }, async (request) => {
      const { name, id, type, file_size_limit, allowed_mime_types } = request.body
      await createBucket(context, openRequest(context, request, 'storage.bucket.create'), {
        id: id === undefined || id === '' ? name : id,
        name,
        type: type ?? 'STANDARD',
        owner: requireCaller(request).userId,
        isPublic: request.body.public ?? false,
        fileSizeLimit: file_size_limit ?? null,
        allowedMimeTypes: allowed_mime_types ?? null,
      })
      return { name }
    })
    app.get('/bucket', { schema: { querystring: ListQuery } }, (request) =>
      listBuckets(openRequest(context, request, 'storage.bucket.list'), request.query),
    )
    app.get('/bucket/:bucket', { schema: { params: Params } }, (request) =>
      getBucket(openRequest(context, request, 'storage.bucket.get'), request.params.bucket),
    )
    app.put('/bucket/:bucket', { schema: { params: Params, body: BucketChangesBody } }, async (request) => {
      const { file_size_limit, allowed_mime_types } = request.body
      await updateBucket(context, openRequest(context, request, 'storage.bucket.update'), request.params.bucket, {
        isPublic: request.body.public,
        fileSizeLimit: file_size_limit,
        allowedMimeTypes: allowed_mime_types,
      })
      return { message: 'Successfully updated' }
    })
    app.post('/bucket/:bucket/empty', { schema: { params: Params } }, async (request) => {
      await emptyBucket(context, openRequest(context, request, 'storage.bucket.empty'), request.params.bucket)
      return { message: 'Empty bucket has been queued. Completion may take up to an hour.' }
    })
    app.delete('/bucket/:bucket', { schema: { params: Params } }, async (request) => {
      await deleteBucket(openRequest(context, request, 'storage.bucket.delete'), request.params.bucket)
      return { message: 'Successfully deleted' }
    })
  }
}
