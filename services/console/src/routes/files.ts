import type { BucketPolicy, FilePreview, FileThumbnails, FolderSize } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import { Type } from 'typebox'
import type { CallApi } from '../call-api.ts'
import { storageOff } from '../errors.ts'
import { scopeOf } from '../files/policy-scope.ts'
import { findFilesOfTypes, getBucket, getFile, listBuckets, listFolderFiles, readUsages } from '../files/read-files.ts'
import { readFolder, signDownload } from '../files/storage-api.ts'
import {
  BUCKET_CHARS_MAX,
  FILE_KEY_CHARS_MAX,
  FILE_LINK_S,
  FOLDER_FILES_MAX,
  LIST_THUMBNAIL_PX,
  LIST_THUMBNAILS_MAX,
  SHARED_LINK_DAYS_MAX,
  THUMBNAIL_PX,
} from '../limits.ts'
import { hasRole } from '../operators/require-operator.ts'
import { route, type Call, type Route } from '../routing/route.ts'
import { readPolicies } from '../tables/describe-table.ts'
import { readCatalog } from '../tables/read-table.ts'

/** What the server's file storage can do. */
export interface FileSources {
  readonly fileSizeLimit: number
  readonly rendersImages: boolean
  /** Address under which users reach the server. */
  readonly publicUrl: string
}

export interface FileRoutesNeeds {
  readonly pool: Pool
  readonly callApi: CallApi
  /** `undefined` while file storage is off. */
  readonly storage: FileSources | undefined
}

export const BucketName = Type.String({ minLength: 1, maxLength: BUCKET_CHARS_MAX })
export const FileKey = Type.String({ minLength: 1, maxLength: FILE_KEY_CHARS_MAX })
const FileBody = Type.Object({ bucket: BucketName, key: FileKey })

/** A folder of a bucket. */
export const FolderKey = Type.String({ minLength: 1, maxLength: FILE_KEY_CHARS_MAX, pattern: '/$' })

/** Types that a browser draws as images, without scripts. SVG is not among them. */
const RASTER_TYPES = ['png', 'jpeg', 'webp', 'gif', 'avif'].map((type) => `image/${type}`)

/** @throws {HoldfastError} `storage_off` */
export function requireStorage({ storage }: Pick<FileRoutesNeeds, 'storage'>): FileSources {
  if (!storage) throw storageOff()
  return storage
}

/** Buckets and their files. Viewers see names, sizes and types; contents only through links, which are logged. */
export function fileRoutes(needs: FileRoutesNeeds): readonly Route[] {
  return [...bucketRoutes(needs), ...folderRoutes(needs), ...linkRoutes(needs)]
}

function bucketRoutes(needs: FileRoutesNeeds): readonly Route[] {
  const { pool } = needs
  return [
    route('GET /files/buckets', {
      access: 'viewer',
      run: async () => {
        const { fileSizeLimit, publicUrl } = requireStorage(needs)
        return { ...(await listBuckets(pool)), fileSizeLimit, publicUrl }
      },
    }),
    route('GET /files/usages', {
      access: 'viewer',
      run: async () => {
        requireStorage(needs)
        return { usages: await readUsages(pool) }
      },
    }),
    route('GET /files/policies', {
      access: 'viewer',
      query: Type.Object({ bucket: BucketName }),
      run: async ({ query: { bucket } }) => {
        requireStorage(needs)
        await getBucket(pool, bucket)
        const policies = await readCatalog(pool, (tx) => readPolicies(tx, sql`'storage.objects'::regclass`))
        return {
          policies: policies.map((policy): BucketPolicy => ({ ...policy, scope: scopeOf(policy, bucket) })),
        }
      },
    }),
  ]
}

function folderRoutes(needs: FileRoutesNeeds): readonly Route[] {
  const { pool, callApi } = needs
  return [
    route('GET /files/list', {
      access: 'viewer',
      query: Type.Object({
        bucket: BucketName,
        prefix: Type.Optional(Type.String({ maxLength: FILE_KEY_CHARS_MAX })),
        after: Type.Optional(Type.String({ maxLength: 4 * FILE_KEY_CHARS_MAX })),
      }),
      run: async ({ query: { bucket, prefix = '', after } }) => {
        requireStorage(needs)
        await getBucket(pool, bucket)
        return await readFolder(callApi, { bucket, prefix, after })
      },
    }),
    route('GET /files/folder', {
      access: 'viewer',
      query: Type.Object({ bucket: BucketName, folder: FolderKey }),
      run: async ({ query }): Promise<FolderSize> => {
        requireStorage(needs)
        const files = await listFolderFiles(pool, { ...query, limit: FOLDER_FILES_MAX + 1 })
        const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0)
        return { files: files.length, bytes, filesMax: FOLDER_FILES_MAX }
      },
    }),
    route('GET /files/details', {
      access: 'viewer',
      query: FileBody,
      run: async ({ query: { bucket, key }, session }) => {
        requireStorage(needs)
        const { userMetadata, ...details } = await getFile(pool, bucket, key)
        const maySee = hasRole(session, 'developer')
        return maySee ? { ...details, userMetadata } : details
      },
    }),
  ]
}

function linkRoutes(needs: FileRoutesNeeds): readonly Route[] {
  const { pool, callApi } = needs
  /** Checks that there is such a file, and notes it. */
  const find = async ({ body, note }: Call<unknown, FileTarget>): Promise<string | null> => {
    requireStorage(needs)
    note({ target: targetOf(body) })
    return (await getFile(pool, body.bucket, body.key)).mimeType
  }
  return [
    route('POST /files/preview', {
      access: 'developer',
      action: 'preview_file',
      body: FileBody,
      run: async (call): Promise<FilePreview> => {
        const { rendersImages } = requireStorage(needs)
        const isImage = RASTER_TYPES.includes((await find(call)) ?? '')
        const path = await signDownload(callApi, call.body, FILE_LINK_S)
        if (!isImage || !rendersImages) return { path }
        const transform = { width: THUMBNAIL_PX, height: THUMBNAIL_PX, resize: 'contain' }
        return { path, thumbnailPath: await signDownload(callApi, call.body, FILE_LINK_S, transform) }
      },
    }),
    route('POST /files/thumbnails', {
      access: 'developer',
      action: 'preview_files',
      body: Type.Object({ bucket: BucketName, keys: Type.Array(FileKey, { maxItems: LIST_THUMBNAILS_MAX }) }),
      run: async ({ body: { bucket, keys }, note }): Promise<FileThumbnails> => {
        const { rendersImages } = requireStorage(needs)
        const found = rendersImages ? await findFilesOfTypes(pool, bucket, keys, RASTER_TYPES) : []
        note({ target: `bucket ${bucket}`, after: { keys: found } })
        const transform = { width: LIST_THUMBNAIL_PX, height: LIST_THUMBNAIL_PX, resize: 'cover' }
        const signed = await Promise.all(
          found.map(
            async (key) => [key, await signDownload(callApi, { bucket, key }, FILE_LINK_S, transform)] as const,
          ),
        )
        return { thumbnails: Object.fromEntries(signed) }
      },
    }),
    route('POST /files/download', {
      access: 'developer',
      action: 'download_file',
      body: FileBody,
      run: async (call) => {
        await find(call)
        const path = await signDownload(callApi, call.body, FILE_LINK_S)
        return { path: `${path}&download=` }
      },
    }),
    route('POST /files/sign', {
      access: 'developer',
      action: 'sign_file_url',
      body: Type.Object({
        ...FileBody.properties,
        seconds: Type.Integer({ minimum: 1, maximum: SHARED_LINK_DAYS_MAX * 86_400 }),
      }),
      run: async (call) => {
        const { body, note } = call
        note({ after: { seconds: body.seconds } })
        await find(call)
        return { url: `${requireStorage(needs).publicUrl}${await signDownload(callApi, body, body.seconds)}` }
      },
    }),
  ]
}

export interface FileTarget {
  readonly bucket: string
  readonly key: string
}

/** Names a file in the audit log. */
export function targetOf({ bucket, key }: FileTarget): string {
  return `file ${bucket}/${key}`
}
