import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isVersion } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { findCompletedUpload, insertCompletedUpload } from '../database/completed-uploads.ts'
import { deleteMultipartUpload, listPartRows, type UploadedPartRow } from '../database/multipart-uploads.ts'
import { entityTooLarge } from '../errors.ts'
import { S3_PARTS_MAX, S3_UPLOADED_PART_BYTES_MIN } from '../limits.ts'
import { commitWriteWith, metadataOf, newVersion, removeBytes, type BucketRules } from '../objects/write-object.ts'
import { sendXml } from './handle-listing.ts'
import { admit } from './handle-multipart.ts'
import { listOf, parseXml } from './parse-xml.ts'
import type { S3Exchange } from './protocol.ts'
import { parameterOf } from './request-target.ts'
import { invalidPart, invalidPartOrder, malformedXml, noSuchUpload, partTooSmall } from './s3-errors.ts'
import { readText } from './signed-body.ts'

/**
 * Assembles an object from its parts, which are kept until it exists. After a crash the upload is unchanged, and a client whose response was lost gets the same
 * response again.
 */
export async function completeMultipartUpload(exchange: S3Exchange): Promise<FastifyReply> {
  const { context, bucket, key, request, userKey } = exchange
  const wanted = readParts(await readText(exchange.body))
  const leave = context.uploads.acquireNow({ key: userKey })
  try {
    const eTag = await complete(exchange, wanted).catch(async (error: unknown) => {
      const known = isNoSuchUpload(error) ? await findAnswer(exchange, wanted) : undefined
      if (known === undefined) throw error
      return known
    })
    return sendXml(exchange, 'CompleteMultipartUploadResult', {
      Location: `${request.protocol}://${request.host}${request.url.split('?')[0] ?? ''}`,
      Bucket: bucket,
      Key: key,
      ETag: eTag,
    })
  } finally {
    leave()
  }
}

/** @returns the object's ETag @throws {HoldfastError} `NoSuchUpload`, also if completed concurrently */
async function complete(exchange: S3Exchange, wanted: readonly WantedPart[]): Promise<string> {
  const { context, database, owner } = exchange
  const { upload, intent, rules } = await admit(exchange)
  const rows = await database.transaction(({ asService }) =>
    asService((tx) => listPartRows(tx, upload.id, { after: 0, limit: S3_PARTS_MAX })),
  )
  const parts = wanted.length === 0 ? rows : choose(wanted, rows)
  requireSizes(parts, rules)
  const version = newVersion()
  const stored = await context.backend.write(version, Readable.from(bytesOf(context, parts), { objectMode: false }))
  const { mimetype = 'application/octet-stream', cacheControl = 'no-cache' } = upload.metadata ?? {}
  const eTag = eTagOf(parts.map(({ etag }) => etag.slice(1, -1)))
  const metadata = metadataOf(
    { ...stored, eTag },
    { mimetype, cacheControl, robotsTag: undefined },
    context.clock.now(),
  )
  let versions: readonly string[] = []
  await commitWriteWith(context, database, intent, { version, metadata }, async (tx) => {
    versions = (await deleteMultipartUpload(tx, upload.id)) ?? []
    if (versions.length === 0) throw noSuchUpload()
    await insertCompletedUpload(tx, { ...intent.name, id: upload.id, eTag, owner })
  })
  await removeBytes(context.backend, context.logger, versions)
  return eTag
}

/** Returns the earlier response to the same user for the same parts, whatever has happened to the object since. */
async function findAnswer(
  { database, target, bucket, key, owner }: S3Exchange,
  wanted: readonly WantedPart[],
): Promise<string | undefined> {
  const id = parameterOf(target, 'uploadId') ?? ''
  if (!isVersion(id)) return undefined
  const eTag = await database.transaction(({ asService }) =>
    asService((tx) => findCompletedUpload(tx, { id, bucketId: bucket, key, owner })),
  )
  return wanted.length === 0 || eTag === eTagOf(wanted.map((part) => part.eTag)) ? eTag : undefined
}

function isNoSuchUpload(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'NoSuchUpload'
}

interface WantedPart {
  readonly number: number
  readonly eTag: string
}

/** @throws {HoldfastError} `MalformedXML`, `InvalidPartOrder` */
function readParts(text: string): readonly WantedPart[] {
  if (text.trim() === '') return []
  const parts = listOf(parseXml(text, 'CompleteMultipartUpload'), 'Part', S3_PARTS_MAX).map(({ PartNumber, ETag }) => {
    const number = typeof PartNumber === 'string' && /^\s*\d{1,5}\s*$/.test(PartNumber) ? Number(PartNumber) : 0
    if (number < 1 || number > S3_PARTS_MAX || typeof ETag !== 'string') throw malformedXml()
    return { number, eTag: ETag.trim().replaceAll('"', '') }
  })
  if (parts.some(({ number }, index) => number <= (parts[index - 1]?.number ?? 0))) throw invalidPartOrder()
  return parts
}

/** @throws {HoldfastError} `InvalidPart` */
function choose(wanted: readonly WantedPart[], rows: readonly UploadedPartRow[]): readonly UploadedPartRow[] {
  const known = new Map(rows.map((row) => [row.part_number, row]))
  return wanted.map(({ number, eTag }) => {
    const row = known.get(number)
    if (!row || row.etag !== `"${eTag}"`) throw invalidPart(number)
    return row
  })
}

/** @throws {HoldfastError} `EntityTooSmall`, `EntityTooLarge`, `MalformedXML` if there are no parts */
function requireSizes(parts: readonly UploadedPartRow[], { bytesMax }: BucketRules): void {
  if (parts.length === 0) throw malformedXml()
  const small = parts.slice(0, -1).find(({ size }) => Number(size) < S3_UPLOADED_PART_BYTES_MIN)
  if (small) throw partTooSmall(small.part_number)
  if (parts.reduce((sum, { size }) => sum + Number(size), 0) > bytesMax) throw entityTooLarge()
}

/** Streams the parts in order. Fails if one was replaced or aborted concurrently. */
async function* bytesOf({ backend }: StorageContext, parts: readonly UploadedPartRow[]): AsyncGenerator<Buffer> {
  for (const { version, part_number: number } of parts) {
    const bytes = await backend.read(version)
    if (!bytes) throw invalidPart(number)
    yield* bytes as AsyncIterable<Buffer>
  }
}

/** Computes a multipart ETag as S3 does: hash of the parts' hashes, and their number. @param sums - hexadecimal */
function eTagOf(sums: readonly string[]): string {
  const hash = createHash('md5')
  for (const sum of sums) hash.update(Buffer.from(sum, 'hex'))
  return `"${hash.digest('hex')}-${sums.length}"`
}
