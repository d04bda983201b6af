import type { FolderPage, ListedFile } from '@holdfast/protocol'
import { encodeSegment, requestApi, type CallApi } from '../call-api.ts'
import { FOLDER_PAGE } from '../limits.ts'

/** An object of a bucket. */
export interface FileName {
  readonly bucket: string
  readonly key: string
}

interface ListedObject {
  readonly name: string
  readonly updated_at: string | null
  readonly metadata: { readonly size?: unknown; readonly mimetype?: unknown } | null
}

/** Reads a page of the folders and files whose names start with a prefix, one level deep. */
export async function readFolder(
  call: CallApi,
  { bucket, prefix, after }: { readonly bucket: string; readonly prefix: string; readonly after?: string | undefined },
): Promise<FolderPage> {
  const page = await requestApi<{
    readonly nextCursor?: string
    readonly folders: readonly ListedObject[]
    readonly objects: readonly ListedObject[]
  }>(call, 'storage', {
    method: 'POST',
    path: `/object/list-v2/${encodeSegment(bucket)}`,
    body: { prefix, limit: FOLDER_PAGE, with_delimiter: true, ...(after !== undefined && { cursor: after }) },
  })
  return {
    folders: page.folders.map(({ name }) => name),
    files: page.objects.map(toFile),
    ...(page.nextCursor !== undefined && { next: page.nextCursor }),
  }
}

function toFile({ name, updated_at, metadata }: ListedObject): ListedFile {
  const { size, mimetype } = metadata ?? {}
  return {
    key: name,
    bytes: typeof size === 'number' ? size : null,
    mimeType: typeof mimetype === 'string' ? mimetype : null,
    updatedAt: updated_at,
  }
}

/**
 * Signs a download.
 *
 * @returns the path on this server
 */
export async function signDownload(
  call: CallApi,
  name: FileName,
  expiresIn: number,
  transform?: Readonly<Record<string, number | string>>,
): Promise<string> {
  const { signedURL } = await requestApi<{ readonly signedURL: string }>(call, 'storage', {
    method: 'POST',
    path: `/object/sign/${pathOf(name)}`,
    body: { expiresIn, ...(transform && { transform }) },
  })
  return `/storage/v1${signedPath(signedURL, transform ? '/render/image/sign/' : '/object/sign/', name)}`
}

/** Signs an upload, which the storage API checks against the limits of the bucket. @returns the path on this server */
export async function signUpload(call: CallApi, name: FileName, isReplacement: boolean): Promise<string> {
  const { url } = await requestApi<{ readonly url: string }>(call, 'storage', {
    method: 'POST',
    path: `/object/upload/sign/${pathOf(name)}`,
    headers: isReplacement ? { 'x-upsert': 'true' } : {},
  })
  return `/storage/v1${signedPath(url, '/object/upload/sign/', name)}`
}

/** The storage API returns names as they are, not encoded. */
function signedPath(signed: string, prefix: string, name: FileName): string {
  return `${prefix}${pathOf(name)}${signed.slice(signed.lastIndexOf('?token='))}`
}

function pathOf({ bucket, key }: FileName): string {
  return `${encodeSegment(bucket)}/${encodeKey(key)}`
}

/** Keeps slashes readable unless a segment would lead to another path. */
function encodeKey(key: string): string {
  const segments = key.split('/')
  const isPlain = segments.every((segment) => segment !== '.' && segment !== '..')
  return isPlain ? segments.map((segment) => encodeSegment(segment)).join('/') : encodeSegment(key)
}
