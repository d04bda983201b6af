import type { FastifyReply } from 'fastify'
import { requireBucket } from '../database/buckets.ts'
import { S3_PAGE_MAX } from '../limits.ts'
import { seekAfter, seekAfterKey, listKeys, requireDelimiter, type KeyEntry } from './list-keys.ts'
import type { S3Exchange } from './protocol.ts'
import { encode, parameterOf } from './request-target.ts'
import { invalidArgument } from './s3-errors.ts'
import { renderXml, type XmlContent, type XmlElements } from './render-xml.ts'

/** Encodes names in a response as the client requested. */
export type NameEncoder = (name: string) => string

interface ListRequest {
  readonly prefix: string
  readonly delimiter: string
  readonly maxKeys: number
  readonly name: NameEncoder
}

export async function listObjectsV2(exchange: S3Exchange): Promise<FastifyReply> {
  const list = readListRequest(exchange)
  const token = textParameter(exchange, 'continuation-token')
  const startAfter = textParameter(exchange, 'start-after')
  const from = token !== undefined ? parseToken(token) : startAfter === undefined ? '' : seekAfterKey(startAfter)
  const { entries, next } = await readPage(exchange, list, from)
  return sendXml(exchange, 'ListBucketResult', {
    ...renderPage(exchange, list, entries),
    KeyCount: entries.length,
    ContinuationToken: token,
    StartAfter: startAfter === undefined ? undefined : list.name(startAfter),
    IsTruncated: next !== undefined,
    NextContinuationToken: next && renderToken(seekAfter(next)),
  })
}

export async function listObjectsV1(exchange: S3Exchange): Promise<FastifyReply> {
  const list = readListRequest(exchange)
  const marker = textParameter(exchange, 'marker') ?? ''
  // A marker is often a common prefix of the previous page, unless it equals the requested prefix.
  const isPrefix = list.delimiter !== '' && marker.endsWith(list.delimiter) && marker !== list.prefix
  const from = marker === '' ? '' : seekAfter({ name: marker, is_prefix: isPrefix })
  const { entries, next } = await readPage(exchange, list, from)
  return sendXml(exchange, 'ListBucketResult', {
    ...renderPage(exchange, list, entries),
    Marker: list.name(marker),
    IsTruncated: next !== undefined,
    NextMarker: next && list.name(next.name),
  })
}

async function readPage(
  { database, bucket }: S3Exchange,
  { prefix, delimiter, maxKeys }: ListRequest,
  from: string,
): Promise<{ readonly entries: readonly KeyEntry[]; readonly next: KeyEntry | undefined }> {
  return database.transaction(async ({ asCaller, asService }) => {
    await asService((tx) => requireBucket(tx, bucket))
    if (maxKeys === 0) return { entries: [], next: undefined }
    const start = from > prefix ? from : prefix
    const found = await asCaller((tx) => listKeys(tx, bucket, { prefix, delimiter, limit: maxKeys + 1, from: start }))
    const entries = found.slice(0, maxKeys)
    return { entries, next: found.length > maxKeys ? entries.at(-1) : undefined }
  })
}

function renderPage({ bucket }: S3Exchange, list: ListRequest, entries: readonly KeyEntry[]): XmlElements {
  const { prefix, delimiter, maxKeys, name } = list
  return {
    Name: bucket,
    Prefix: name(prefix),
    Delimiter: delimiter === '' ? undefined : name(delimiter),
    MaxKeys: maxKeys,
    EncodingType: name === encode ? 'url' : undefined,
    Contents: entries
      .filter((entry) => !entry.is_prefix)
      .map(({ name: key, metadata, updated_at }) => ({
        Key: name(key),
        LastModified: lastModifiedOf(metadata?.lastModified, updated_at),
        ETag: metadata?.eTag,
        Size: Number(metadata?.size ?? 0),
        StorageClass: 'STANDARD',
      })),
    CommonPrefixes: entries.filter((entry) => entry.is_prefix).map((entry) => ({ Prefix: name(entry.name) })),
  }
}

function lastModifiedOf(stored: unknown, updatedAt: Date | null): string | undefined {
  const date = new Date(typeof stored === 'string' ? stored : (updatedAt ?? Number.NaN))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function readListRequest(exchange: S3Exchange): ListRequest {
  return {
    prefix: textParameter(exchange, 'prefix') ?? '',
    delimiter: requireDelimiter(parameterOf(exchange.target, 'delimiter') ?? ''),
    maxKeys: readPageSize(parameterOf(exchange.target, 'max-keys')),
    name: readNameEncoder(exchange),
  }
}

export function readNameEncoder({ target }: S3Exchange): NameEncoder {
  return parameterOf(target, 'encoding-type') === 'url' ? encode : (name) => name
}

/** @throws {HoldfastError} `InvalidArgument` */
export function readPageSize(text: string | undefined): number {
  if (text === undefined || text === '') return S3_PAGE_MAX
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument('The page size is not a number')
  return Math.min(Number(text), S3_PAGE_MAX)
}

/** Reads a parameter that Postgres can store. @throws {HoldfastError} `InvalidArgument` */
export function textParameter({ target }: S3Exchange, name: string): string | undefined {
  const text = parameterOf(target, name)
  if (text?.includes('\0')) throw invalidArgument(`${name} contains a NUL`)
  return text
}

/** Continuation token, opaque to clients. A forged token reveals nothing beyond policies. */
function renderToken(from: string): string {
  return Buffer.from(`from:${from}`).toString('base64url')
}

function parseToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString('utf8')
  if (!text.startsWith('from:') || text.includes('\0'))
    throw invalidArgument('The continuation token provided is incorrect')
  return text.slice('from:'.length)
}

export function sendXml({ reply }: Pick<S3Exchange, 'reply'>, name: string, content: XmlContent): FastifyReply {
  return reply.code(200).type('application/xml; charset=utf-8').send(renderXml(name, content))
}
