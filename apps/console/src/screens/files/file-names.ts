import type { ListedBucket } from '@holdfast/protocol'

/** Returns the last segment of a name: of `a/b.txt`, `b.txt`; of the folder `a/b/`, `b/`. */
export function lastSegmentOf(key: string): string {
  return /[^/]*\/?$/.exec(key)?.[0] ?? key
}

/** Returns the folder that a folder is in: of `a/b/`, `a/`; of `a/`, the empty name of the bucket's top. */
export function parentOf(folder: string): string {
  return folder.slice(0, folder.slice(0, -1).lastIndexOf('/') + 1)
}

/** Returns the folders that lead to a folder, itself included: of `a/b/`, `a/` and `a/b/`. */
export function foldersTo(folder: string): readonly string[] {
  return [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1))
}

export type PreviewKind = 'image' | 'text' | 'pdf' | 'none'

/** Types that a browser draws without running scripts. SVG is shown as text. */
const RASTER = /^image\/(?:png|jpeg|webp|gif|avif)$/
const TEXT = /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|sql|toml|x-sh)$/

/** Returns how a file of a media type is previewed. HTML and SVG are text: they are never rendered. */
export function previewKindOf(mimeType: string | null): PreviewKind {
  const type = (mimeType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (RASTER.test(type)) return 'image'
  if (type === 'application/pdf') return 'pdf'
  return TEXT.test(type) ? 'text' : 'none'
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 }

/** Parses a size such as `5 MB`. @returns bytes; `null` for empty text, `undefined` for what is no size */
export function parseSize(text: string): number | null | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?b?)$/i.exec(trimmed)
  const factor = UNITS[match?.[2]?.toLowerCase() ?? '-']
  const bytes = match && factor !== undefined ? Math.floor(Number(match[1]) * factor) : undefined
  return bytes !== undefined && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
}

/** Formats bytes so that {@link parseSize} reads them back unchanged: `5 MB`, `1234567 B`. */
export function renderSize(bytes: number): string {
  const [unit = 'B', factor = 1] =
    (
      [
        ['TB', 1e12],
        ['GB', 1e9],
        ['MB', 1e6],
        ['KB', 1e3],
      ] as const
    ).find(([, size]) => bytes % size === 0) ?? []
  return `${bytes / factor} ${unit}`
}

/** Returns why a bucket refuses a file, before it is sent; `undefined` if it does not. The server checks again. */
export function refusalOf(
  { size, type }: Pick<File, 'size' | 'type'>,
  { fileSizeLimit, allowedMimeTypes }: Pick<ListedBucket, 'fileSizeLimit' | 'allowedMimeTypes'>,
  serverLimit: number,
): string | undefined {
  const limit = Math.min(fileSizeLimit ?? serverLimit, serverLimit)
  if (size > limit) return `The file is larger than the limit of ${renderSize(limit)}.`
  if (allowedMimeTypes === null || allowedMimeTypes.length === 0) return undefined
  const given = typeOf({ type })
  const isAllowed = allowedMimeTypes.some(
    (allowed) =>
      allowed === '*/*' || allowed === given || (allowed.endsWith('/*') && given.startsWith(allowed.slice(0, -1))),
  )
  return isAllowed ? undefined : `The bucket does not allow the type ${given}.`
}

/** Returns the media type that a file is uploaded with. */
export function typeOf({ type }: Pick<File, 'type'>): string {
  return type === '' ? 'application/octet-stream' : type
}

/** Returns the address of a file in a public bucket. */
export function publicUrlOf(server: string, bucket: string, key: string): string {
  return `${server}/storage/v1/object/public/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`
}
