import type { IncomingHttpHeaders } from 'node:http'
import { entityTooLarge } from '../errors.ts'
import { USER_METADATA_BYTES_MAX } from '../limits.ts'
import type { ObjectRow } from '../database/objects.ts'
import { lastModifiedOf } from '../response/object-headers.ts'
import { preconditionFailed } from './s3-errors.ts'
import type { RequestTarget } from './request-target.ts'
import type { UserMetadata } from '../request/user-metadata.ts'

const META = 'x-amz-meta-'
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const HEADER_TEXT = /^[\t\x20-\x7e]*$/

/** Reads `x-amz-meta-…` from headers and from signed query parameters. */
export function readUserMetadata(headers: IncomingHttpHeaders, target: RequestTarget): UserMetadata | undefined {
  const pairs = [
    ...Object.entries(headers),
    ...target.query.map(([name, value]) => [name.toLowerCase(), value] as const),
  ]
  const entries = pairs.flatMap(([name, value]) =>
    name.startsWith(META) && name.length > META.length && typeof value === 'string'
      ? [[name.slice(META.length), value] as const]
      : [],
  )
  if (entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > USER_METADATA_BYTES_MAX)
    throw entityTooLarge('user_metadata')
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Renders `x-amz-meta-…` headers. Counts values that a header cannot hold. */
export function metadataHeaders({ user_metadata }: ObjectRow): Record<string, string> {
  const headers: Record<string, string> = {}
  let missing = 0
  for (const [name, value] of Object.entries(user_metadata ?? {})) {
    const header = name.toLowerCase()
    if (typeof value === 'string' && HEADER_NAME.test(header) && HEADER_TEXT.test(value)) headers[META + header] = value
    else missing++
  }
  return missing === 0 ? headers : { ...headers, 'x-amz-missing-meta': String(missing) }
}

/** @param prefix - `x-amz-copy-source-` for copy conditions @throws {HoldfastError} `PreconditionFailed` */
export function requireConditions(row: ObjectRow, headers: IncomingHttpHeaders, prefix = ''): void {
  const header = (name: string): string | undefined => {
    const value = headers[prefix + name]
    return typeof value === 'string' ? value : undefined
  }
  const eTag = row.metadata?.eTag
  const [match, noneMatch] = [header('if-match'), prefix === '' ? undefined : header('if-none-match')]
  if (match !== undefined && !isListed(match, eTag)) throw preconditionFailed()
  if (noneMatch !== undefined && isListed(noneMatch, eTag)) throw preconditionFailed()
  const modified = Math.floor((lastModifiedOf(row)?.getTime() ?? 0) / 1_000) * 1_000
  const unmodifiedSince = Date.parse(header('if-unmodified-since') ?? '')
  if (match === undefined && !Number.isNaN(unmodifiedSince) && modified > unmodifiedSince) throw preconditionFailed()
  const modifiedSince = prefix === '' ? Number.NaN : Date.parse(header('if-modified-since') ?? '')
  if (noneMatch === undefined && !Number.isNaN(modifiedSince) && modified <= modifiedSince) throw preconditionFailed()
}

function isListed(header: string, eTag: unknown): boolean {
  return header.split(',').some((one) => ['*', eTag].includes(one.trim()) || `"${one.trim()}"` === eTag)
}
