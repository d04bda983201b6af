import { Type } from 'typebox'
import { type CallApi, encodeSegment, requestApi } from '../call-api.ts'
import { folderTooLarge } from '../errors.ts'
import { getBucket, getFile, listFolderFiles } from '../files/read-files.ts'
import { signUpload } from '../files/storage-api.ts'
import { DELETED_FILES_MAX, FOLDER_FILES_MAX } from '../limits.ts'
import { answer, route, type Call, type Route } from '../routing/route.ts'
import { BucketName, FileKey, FolderKey, requireStorage, targetOf, type FileRoutesNeeds } from './files.ts'

const LIMITS = {
  isPublic: Type.Boolean(),
  /** In bytes; `null` for the server's. */
  fileSizeLimit: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** `null` for all. */
  allowedMimeTypes: Type.Union([
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 }),
    Type.Null(),
  ]),
}

interface Limits {
  readonly isPublic: boolean
  readonly fileSizeLimit: number | null
  readonly allowedMimeTypes: readonly string[] | null
}

const toStorage = ({ isPublic, fileSizeLimit, allowedMimeTypes }: Limits): object => ({
  public: isPublic,
  file_size_limit: fileSizeLimit,
  allowed_mime_types: allowedMimeTypes,
})

const limitsOf = ({ isPublic, fileSizeLimit, allowedMimeTypes }: Limits): Limits => ({
  isPublic,
  fileSizeLimit,
  allowedMimeTypes,
})

/** Changes of buckets and files, through the storage API. */
export function fileChangeRoutes(needs: FileRoutesNeeds): readonly Route[] {
  return [...bucketChangeRoutes(needs), ...bucketRemovalRoutes(needs), ...objectRoutes(needs)]
}

function bucketChangeRoutes(needs: FileRoutesNeeds): readonly Route[] {
  const { pool, callApi } = needs
  return [
    route('POST /files/buckets', {
      access: 'developer',
      action: 'create_bucket',
      body: Type.Object({ name: BucketName, ...LIMITS }),
      run: async ({ body, note }) => {
        requireStorage(needs)
        note({ target: `bucket ${body.name}`, after: limitsOf(body) })
        await requestApi(callApi, 'storage', {
          method: 'POST',
          path: '/bucket',
          body: { name: body.name, ...toStorage(body) },
        })
        return answer({ status: 201, body: await getBucket(pool, body.name) })
      },
    }),
    route('PATCH /files/buckets/:bucket', {
      access: 'developer',
      action: 'change_bucket',
      body: Type.Object(LIMITS),
      run: async ({ parameters, body, note }) => {
        const bucket = bucketOf(parameters, needs)
        note({ target: `bucket ${bucket}`, before: limitsOf(await getBucket(pool, bucket)), after: limitsOf(body) })
        await requestApi(callApi, 'storage', {
          method: 'PUT',
          path: `/bucket/${encodeSegment(bucket)}`,
          body: toStorage(body),
        })
        return await getBucket(pool, bucket)
      },
    }),
  ]
}

function bucketRemovalRoutes(needs: FileRoutesNeeds): readonly Route[] {
  const { pool, callApi } = needs
  return [
    route('POST /files/buckets/:bucket/empty', {
      access: 'developer',
      action: 'empty_bucket',
      run: async ({ parameters, note }) => {
        const bucket = bucketOf(parameters, needs)
        note({ target: `bucket ${bucket}` })
        await requestApi(callApi, 'storage', { method: 'POST', path: `/bucket/${encodeSegment(bucket)}/empty` })
      },
    }),
    route('DELETE /files/buckets/:bucket', {
      access: 'developer',
      action: 'delete_bucket',
      run: async ({ parameters, note }) => {
        const bucket = bucketOf(parameters, needs)
        note({ target: `bucket ${bucket}`, before: limitsOf(await getBucket(pool, bucket)) })
        await requestApi(callApi, 'storage', { method: 'DELETE', path: `/bucket/${encodeSegment(bucket)}` })
      },
    }),
  ]
}

function objectRoutes(needs: FileRoutesNeeds): readonly Route[] {
  const { pool, callApi } = needs
  return [
    route('POST /files/upload', {
      access: 'developer',
      action: 'upload_file',
      body: Type.Object({
        bucket: BucketName,
        key: FileKey,
        isReplacement: Type.Boolean(),
        /** As the browser says, for the audit log. */
        bytes: Type.Integer({ minimum: 0 }),
      }),
      run: async ({ body, note }) => {
        requireStorage(needs)
        const { bytes, isReplacement } = body
        note({ target: targetOf(body), after: { bytes, isReplacement } })
        // The browser sends the bytes to the storage API itself, so that they do not pass through the console.
        return { path: await signUpload(callApi, body, isReplacement) }
      },
    }),
    route('POST /files/move', {
      access: 'developer',
      action: 'move_file',
      body: Type.Object({ bucket: BucketName, key: FileKey, to: FileKey }),
      run: async ({ body: { bucket, key, to }, note }) => {
        requireStorage(needs)
        note({ target: targetOf({ bucket, key }), before: { key }, after: { key: to } })
        await requestApi(callApi, 'storage', {
          method: 'POST',
          path: '/object/move',
          body: { bucketId: bucket, sourceKey: key, destinationKey: to },
        })
        return await getFile(pool, bucket, to)
      },
    }),
    route('POST /files/delete', {
      access: 'developer',
      action: 'delete_files',
      body: Type.Object({
        bucket: BucketName,
        keys: Type.Array(FileKey, { minItems: 1, maxItems: DELETED_FILES_MAX, uniqueItems: true }),
      }),
      run: async ({ body: { bucket, keys }, note }) => {
        requireStorage(needs)
        note({
          target: keys.length === 1 ? targetOf({ bucket, key: keys[0] ?? '' }) : `bucket ${bucket}`,
          before: { keys },
        })
        const deleted = await deleteFiles(callApi, bucket, keys)
        note({ after: { deleted } })
        return { deleted }
      },
    }),
    route('POST /files/delete-folder', {
      access: 'developer',
      action: 'delete_folder',
      body: Type.Object({ bucket: BucketName, folder: FolderKey }),
      run: async ({ body, note }) => {
        requireStorage(needs)
        const { bucket, folder } = body
        note({ target: `folder ${bucket}/${folder}` })
        const files = await listFolderFiles(pool, { ...body, limit: FOLDER_FILES_MAX + 1 })
        if (files.length > FOLDER_FILES_MAX) throw folderTooLarge(FOLDER_FILES_MAX)
        note({ before: { files: files.length } })
        const deleted =
          files.length === 0
            ? 0
            : await deleteFiles(
                callApi,
                bucket,
                files.map(({ key }) => key),
              )
        note({ after: { deleted } })
        return { deleted }
      },
    }),
  ]
}

/** Returns how many of them there were. */
async function deleteFiles(callApi: CallApi, bucket: string, keys: readonly string[]): Promise<number> {
  const path = `/object/${encodeSegment(bucket)}`
  const deleted = await requestApi<readonly unknown[]>(callApi, 'storage', {
    method: 'DELETE',
    path,
    body: { prefixes: keys },
  })
  return deleted.length
}

function bucketOf(parameters: Call['parameters'], needs: FileRoutesNeeds): string {
  requireStorage(needs)
  return parameters['bucket'] ?? ''
}
