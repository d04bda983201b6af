import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../backend/backend.ts'
import type { ObjectRow } from '../database/objects.ts'

/** Types that cannot run scripts in the app's origin. All others are served sandboxed. */
const INERT_TYPE =
  /^(?:image\/[\w.+-]+|(?:audio|video|font)\/[\w.+-]+|text\/(?:plain|csv|markdown|calendar|vcard)|application\/(?:pdf|json|zip|gzip|octet-stream|x-tar|wasm|msword|vnd\.[\w.+-]+))$/

/** Browsers display XML types, including SVG, as documents and run their scripts. */
const XML_TYPE = /[+/]xml$/

/** Allows only simple parameters: given several types in one header, browsers take the last. */
const TYPE_PARAMETERS = /^(?:\s*;\s*[\w-]+=[\w.+-]+)*\s*;?\s*$/

/** Gives the document an opaque origin without scripts, so it can be displayed but reaches neither sessions nor data of the app. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

/** Allowed header characters. Rows may come from SQL. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]+$/

export interface HeaderFacts {
  readonly row: ObjectRow
  /** Expiry of a signed URL; overrides the object's cache control. */
  readonly expiresAtS?: number | undefined
  /** The `download` query parameter; empty means the object's own name. */
  readonly download?: string | undefined
}

/** Headers that describe an object, with or without its bytes. */
export function objectHeaders({ row, expiresAtS, download }: HeaderFacts): Record<string, string> {
  const metadata = row.metadata ?? {}
  const type = contentTypeOf(metadata.mimetype)
  const cacheControl = headerText(metadata.cacheControl)
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-type': type,
    'x-robots-tag': headerText(metadata.xRobotsTag) ?? 'none',
  }
  const eTag = headerText(metadata.eTag)
  if (eTag !== undefined) headers['etag'] = eTag
  const modified = lastModifiedOf(row)
  if (modified !== undefined) headers['last-modified'] = modified.toUTCString()
  if (expiresAtS !== undefined) headers['expires'] = new Date(expiresAtS * 1_000).toUTCString()
  else if (cacheControl !== undefined) headers['cache-control'] = cacheControl
  if (!isInert(type)) headers['content-security-policy'] = SANDBOX
  if (download !== undefined) headers['content-disposition'] = disposition(download)
  return headers
}

/** HTML is served as plain text: it would run in the app's origin. */
export function contentTypeOf(stored: unknown): string {
  const type = headerText(stored) ?? 'application/octet-stream'
  return /html/i.test(type) ? 'text/plain' : type
}

function isInert(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(/[\s;]/, 1)
  return INERT_TYPE.test(type) && !XML_TYPE.test(type) && TYPE_PARAMETERS.test(contentType.slice(type.length))
}

export function lastModifiedOf({ metadata, updated_at }: ObjectRow): Date | undefined {
  const date = new Date(typeof metadata?.lastModified === 'string' ? metadata.lastModified : updated_at)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Whether the client's cached version is current. */
export function isUnchanged(row: ObjectRow, headers: IncomingHttpHeaders): boolean {
  const known = headers['if-none-match']
  const eTag = row.metadata?.eTag
  if (known !== undefined) {
    return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === eTag)
  }
  const since = Date.parse(headers['if-modified-since'] ?? '')
  const modified = lastModifiedOf(row)
  // HTTP dates have second precision.
  return !Number.isNaN(since) && modified !== undefined && Math.floor(modified.getTime() / 1_000) * 1_000 <= since
}

/** Whether the client's partial download is of this version. */
export function matchesIfRange(row: ObjectRow, ifRange: string | undefined): boolean {
  if (ifRange === undefined) return true
  if (ifRange.startsWith('"')) return ifRange === row.metadata?.eTag
  const date = Date.parse(ifRange)
  const modified = lastModifiedOf(row)
  return modified !== undefined && Math.floor(modified.getTime() / 1_000) * 1_000 === date
}

export function rangeHeaders(range: ByteRange | undefined, size: number): Record<string, string> {
  if (!range) return { 'content-length': String(size) }
  return {
    'content-length': String(range.to - range.from + 1),
    'content-range': `bytes ${range.from}-${range.to}/${size}`,
  }
}

function disposition(download: string): string {
  if (download === '') return 'attachment;'
  // A truncated surrogate pair cannot be encoded.
  const name = encodeURIComponent(download.toWellFormed())
  return `attachment; filename=${name}; filename*=UTF-8''${name}`
}

function headerText(value: unknown): string | undefined {
  return typeof value === 'string' && HEADER_TEXT.test(value) ? value : undefined
}
