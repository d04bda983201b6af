import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requireCaller } from '@holdfast/http'
import type { StorageContext } from '../context.ts'
import { findKeys, type ObjectMetadata } from '../database/objects.ts'
import { encodeTransform, parseTransform, type TransformInput } from '../images/transform.ts'
import { KEYS_PER_REQUEST_MAX, SIGNED_LIFETIME_S_MAX } from '../limits.ts'
import { findAsCaller } from '../objects/read-object.ts'
import { admitWrite } from '../objects/write-object.ts'
import { parseObjectName, requireBucketName } from '../request/names.ts'
import { openRequest } from '../request/open-request.ts'
import { parseMetadataHeader } from '../request/user-metadata.ts'
import { nameOf } from './download.ts'

const ObjectParams = Type.Object({ bucket: Type.String(), '*': Type.String() })
const BucketParams = Type.Object({ bucket: Type.String() })
const ExpiresIn = Type.Integer({ minimum: 1, maximum: SIGNED_LIFETIME_S_MAX })
const SignBody = Type.Object({
  expiresIn: ExpiresIn,
  transform: Type.Optional(Type.Unsafe<TransformInput>({ type: 'object' })),
})
const SignManyBody = Type.Object({
  expiresIn: ExpiresIn,
  paths: Type.Array(Type.String(), { minItems: 1, maxItems: KEYS_PER_REQUEST_MAX }),
})

const NOT_SEEN = 'Either the object does not exist or you do not have access to it'

/**
 * `POST /object/sign/…`, `POST /object/upload/sign/…`: URLs that need no key.
 *
 * @param drawsImages - whether image rendering is available; otherwise URLs of the original files are signed
 */
export function signRoutes(
  context: StorageContext,
  { drawsImages }: { readonly drawsImages: boolean },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/object/sign/:bucket/*', { schema: { params: ObjectParams, body: SignBody } }, async (request) => {
      const name = nameOf(request.params)
      await findAsCaller(openRequest(context, request, 'storage.object.sign'), name)
      const { expiresIn, transform = {} } = request.body
      const isImage = drawsImages && Object.keys(transform).length > 0
      const token = await context.urls.signDownload(name, expiresIn, isImage ? claimsOf(transform) : undefined)
      return { signedURL: `/${isImage ? 'render/image' : 'object'}/sign/${name.bucketId}/${name.key}?token=${token}` }
    })

    app.post('/object/sign/:bucket', { schema: { params: BucketParams, body: SignManyBody } }, async (request) => {
      const { bucket: bucketId } = request.params
      requireBucketName(bucketId)
      const { paths, expiresIn } = request.body
      const asked = paths.filter((path) => !path.includes('\0'))
      const seen = new Set(
        await openRequest(context, request, 'storage.object.sign_many').transaction(({ asCaller }) =>
          asCaller((tx) => findKeys(tx, bucketId, asked)),
        ),
      )
      return Promise.all(
        paths.map(async (path) => {
          if (!seen.has(path)) return { error: NOT_SEEN, path, signedURL: null }
          const token = await context.urls.signDownload({ bucketId, key: path }, expiresIn)
          return { error: null, path, signedURL: `/object/sign/${bucketId}/${path}?token=${token}` }
        }),
      )
    })

    app.post('/object/upload/sign/:bucket/*', { schema: { params: ObjectParams } }, async (request) => {
      const name = parseObjectName(request.params.bucket, request.params['*'])
      const database = openRequest(context, request, 'storage.object.sign_upload_url')
      const owner = requireCaller(request).userId
      const upsert = request.headers['x-upsert'] === 'true'
      await admitWrite(context, database, {
        name,
        owner,
        upsert,
        declared: declaredOf(request.headers),
        userMetadata: parseMetadataHeader(request.headers['x-metadata']),
        isJudged: true,
      })
      const token = await context.urls.signUpload(name, { upsert, owner })
      return { url: `/object/upload/sign/${name.bucketId}/${name.key}?token=${token}`, token }
    })
  }
}

/** Claims of a signed URL about its image transform. */
function claimsOf(input: TransformInput): { readonly transformations: string; readonly format: string | undefined } {
  const transform = parseTransform(input)
  return { transformations: encodeTransform(transform), format: transform.format }
}

function declaredOf(headers: IncomingHttpHeaders): ObjectMetadata {
  const length = Number(headers['content-length'])
  return {
    ...(headers['content-type'] !== undefined && { mimetype: headers['content-type'] }),
    ...(Number.isSafeInteger(length) && { contentLength: length }),
  }
}
