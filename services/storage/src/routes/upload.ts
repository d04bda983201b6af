import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { StorageContext } from '../context.ts'
import type { ObjectRow } from '../database/objects.ts'
import { uploadObject } from '../objects/upload-object.ts'
import type { Operation } from '../operations.ts'
import { parseObjectName } from '../request/names.ts'
import { openRequest, userKeyOf } from '../request/open-request.ts'
import { readIncomingFile } from '../request/upload-body.ts'

interface ObjectParams {
  readonly bucket: string
  readonly '*': string
}

/** `POST|PUT /object/{bucket}/{path}`, `PUT /object/upload/sign/…`: bodies are bytes, whatever their type. */
export function uploadRoutes(context: StorageContext): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, body, done) => done(null, body))

    const upload =
      (operation: Operation, isUpsert: (request: FastifyRequest) => boolean) =>
      async (request: FastifyRequest<{ Params: ObjectParams }>) => {
        const name = parseObjectName(request.params.bucket, request.params['*'])
        const row = await uploadWithinShare(context, request, operation, {
          name,
          owner: requireCaller(request).userId,
          upsert: isUpsert(request),
          isJudged: true,
        })
        return { Id: row.id, Key: `${name.bucketId}/${name.key}` }
      }
    const config = { streamsBody: true }
    app.post('/object/:bucket/*', {
      config,
      handler: upload('storage.object.upload', ({ headers }) => headers['x-upsert'] === 'true'),
    })
    app.put('/object/:bucket/*', { config, handler: upload('storage.object.upload_update', () => true) })

    app.put<{ Params: ObjectParams; Querystring: { readonly token: string } }>('/object/upload/sign/:bucket/*', {
      config,
      schema: { querystring: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } } },
      handler: async (request) => {
        const name = parseObjectName(request.params.bucket, request.params['*'])
        const { upsert, owner } = await context.urls.verifyUpload(request.query.token, name)
        await uploadWithinShare(context, request, 'storage.object.upload_signed', {
          name,
          owner,
          upsert,
          isJudged: false,
        })
        return { Key: `${name.bucketId}/${name.key}` }
      },
    })
  }
}

type UploadInput = Omit<Parameters<typeof uploadObject>[2], 'readFile'>

async function uploadWithinShare(
  context: StorageContext,
  request: FastifyRequest,
  operation: Operation,
  input: UploadInput,
): Promise<ObjectRow> {
  const leave = context.uploads.acquireNow({ key: userKeyOf(request) })
  try {
    return await uploadObject(context, openRequest(context, request, operation), {
      ...input,
      readFile: () => readIncomingFile(request.headers, request.body),
    })
  } finally {
    leave()
  }
}
