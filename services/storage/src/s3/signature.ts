import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { S3_CLOCK_SKEW_MS, S3_PRESIGNED_LIFETIME_S_MAX } from '../limits.ts'
import { decode, encode, parameterOf, type RequestTarget } from './request-target.ts'
import {
  clockSkewed,
  headersNotSigned,
  signatureExpired,
  signatureMalformed,
  signatureMismatch,
  signatureMissing,
} from './s3-errors.ts'

/** Credential scope: date (`20261122`) and region (`local`). */
export interface Scope {
  readonly date: string
  readonly region: string
}

/** Signature parameters of a request, checked only for form. */
export interface ClaimedSignature {
  readonly accessKeyId: string
  readonly scope: Scope
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** `20261122T210000Z` */
  readonly timestamp: string
  readonly sessionToken: string | undefined
  /** SHA-256 of the body in hexadecimal, or the signing mode. */
  readonly payloadHash: string
  /** Lifetime of a presigned URL. */
  readonly lifetimeS: number | undefined
}

export interface SignedRequest {
  readonly method: string
  readonly target: RequestTarget
  readonly headers: IncomingHttpHeaders
  /** Host names the client may have used: its Host header and those from trusted proxies. */
  readonly hosts: readonly string[]
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

/** @throws {HoldfastError} `AccessDenied` if absent; `AuthorizationHeaderMalformed` */
export function readSignature({ target, headers }: Pick<SignedRequest, 'target' | 'headers'>): ClaimedSignature {
  if (headers.authorization?.startsWith(`${ALGORITHM} `)) return readHeader(headers.authorization, headers)
  if (parameterOf(target, 'X-Amz-Signature') !== undefined) return readQuery(target)
  throw signatureMissing()
}

function readHeader(authorization: string, headers: IncomingHttpHeaders): ClaimedSignature {
  const parts = new Map(
    authorization
      .slice(ALGORITHM.length + 1)
      .split(',')
      .map((part) => {
        const equals = part.indexOf('=')
        return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()]
      }),
  )
  const payloadHash = headers['x-amz-content-sha256']
  if (typeof payloadHash !== 'string') throw signatureMalformed('x-amz-content-sha256 is missing')
  return {
    ...readCredential(parts.get('Credential'), textOf(headers['x-amz-date'])),
    signedHeaders: readSignedHeaders(parts.get('SignedHeaders')),
    signature: parts.get('Signature') ?? '',
    sessionToken: textOf(headers['x-amz-security-token']),
    payloadHash,
    lifetimeS: undefined,
  }
}

function readQuery(target: RequestTarget): ClaimedSignature {
  if (parameterOf(target, 'X-Amz-Algorithm') !== ALGORITHM)
    throw signatureMalformed(`X-Amz-Algorithm is not ${ALGORITHM}`)
  const lifetime = parameterOf(target, 'X-Amz-Expires') ?? ''
  const lifetimeS = /^\d{1,6}$/.test(lifetime) ? Number(lifetime) : 0
  if (lifetimeS < 1 || lifetimeS > S3_PRESIGNED_LIFETIME_S_MAX)
    throw signatureMalformed(`X-Amz-Expires is not between 1 and ${S3_PRESIGNED_LIFETIME_S_MAX} seconds`)
  return {
    ...readCredential(parameterOf(target, 'X-Amz-Credential'), parameterOf(target, 'X-Amz-Date')),
    signedHeaders: readSignedHeaders(parameterOf(target, 'X-Amz-SignedHeaders')),
    signature: parameterOf(target, 'X-Amz-Signature') ?? '',
    sessionToken: parameterOf(target, 'X-Amz-Security-Token'),
    payloadHash: parameterOf(target, 'X-Amz-Content-Sha256') ?? UNSIGNED_PAYLOAD,
    lifetimeS,
  }
}

/** @throws {HoldfastError} `AuthorizationHeaderMalformed` */
export function readCredential(
  credential: string | undefined,
  timestamp: string | undefined,
): Pick<ClaimedSignature, 'accessKeyId' | 'scope' | 'timestamp'> {
  // An access key id may contain slashes, the other parts may not.
  const match = /^(.+)\/(\d{8})\/([^/]*)\/s3\/aws4_request$/.exec(credential ?? '')
  const [, accessKeyId = '', date = '', region = ''] = match ?? []
  if (!match) throw signatureMalformed('the credential is not <key>/<date>/<region>/s3/aws4_request')
  if (timestamp === undefined || timeOf(timestamp) === undefined)
    throw signatureMalformed('the date is missing or invalid')
  if (!timestamp.startsWith(date)) throw signatureMalformed('the date of the credential does not match')
  return { accessKeyId, scope: { date, region }, timestamp }
}

function readSignedHeaders(text: string | undefined): readonly string[] {
  const names = (text ?? '').split(';').map((name) => name.toLowerCase())
  if (!names.includes('host')) throw signatureMalformed('the header host is not signed')
  return names.toSorted()
}

/** @returns ms since the epoch */
function timeOf(timestamp: string): number | undefined {
  const time = Date.parse(timestamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  return /^\d{8}T\d{6}Z$/.test(timestamp) && !Number.isNaN(time) ? time : undefined
}

/** @throws {HoldfastError} `RequestTimeTooSkewed`, `AccessDenied` if the URL has expired */
export function requireFresh(
  { timestamp, lifetimeS }: Pick<ClaimedSignature, 'timestamp' | 'lifetimeS'>,
  now: number,
): void {
  const signedAt = timeOf(timestamp) ?? 0
  if (signedAt - now > S3_CLOCK_SKEW_MS) throw clockSkewed()
  if (lifetimeS === undefined && now - signedAt > S3_CLOCK_SKEW_MS) throw clockSkewed()
  if (lifetimeS !== undefined && now > signedAt + lifetimeS * 1_000) throw signatureExpired()
}

/**
 * @param secrets - accepted signing secrets
 * @returns the signing key, for the chunks of the body
 * @throws {HoldfastError} `SignatureDoesNotMatch`; `AccessDenied` if a header relevant to S3 is not signed
 */
export function verifySignature(claimed: ClaimedSignature, secrets: readonly string[], request: SignedRequest): Buffer {
  const unsigned = Object.keys(request.headers).filter(
    (name) => name.startsWith('x-amz-') && !claimed.signedHeaders.includes(name) && !isOfSignature(claimed, name),
  )
  if (unsigned.length > 0) throw headersNotSigned(unsigned)
  for (const secret of secrets) {
    const key = signingKey(secret, claimed.scope)
    for (const path of canonicalPaths(request.target.rawPath))
      for (const host of request.hosts) {
        const text = stringToSign(ALGORITHM, claimed, sha256(canonicalRequest(claimed, request, path, host)))
        if (isSame(sign(key, text), claimed.signature)) return key
      }
  }
  throw signatureMismatch()
}

/** Headers that a presigned URL cannot cover, because the body was unknown: they are verified separately or ignored. */
function isOfSignature({ lifetimeS }: ClaimedSignature, name: string): boolean {
  return lifetimeS !== undefined && (name === 'x-amz-content-sha256' || name.startsWith('x-amz-checksum-'))
}

function canonicalRequest(claimed: ClaimedSignature, request: SignedRequest, path: string, host: string): string {
  const { signedHeaders, payloadHash } = claimed
  const headers = signedHeaders.map((name) => {
    const value = name === 'host' ? host : [request.headers[name] ?? ''].flat().join(',')
    return `${name}:${value.trim().replaceAll(/ +/g, ' ')}\n`
  })
  return [
    request.method,
    path,
    canonicalQuery(request.target),
    headers.join(''),
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n')
}

function canonicalQuery({ query }: RequestTarget): string {
  return query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Returns the path as received and in S3's canonical encoding, because proxies and clients may re-encode it. */
function canonicalPaths(rawPath: string): readonly string[] {
  const written = rawPath
    .split('/')
    .map((segment) => encode(decode(segment)))
    .join('/')
  return [...new Set([rawPath, written])]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** @param hash - of the signed text, in the algorithm's number of lines */
export function stringToSign(
  algorithm: string,
  { timestamp, scope }: Pick<ClaimedSignature, 'timestamp' | 'scope'>,
  hash: string,
): string {
  return [algorithm, timestamp, `${scope.date}/${scope.region}/s3/aws4_request`, hash].join('\n')
}

export function signingKey(secret: string, { date, region }: Scope): Buffer {
  let key: Buffer = Buffer.from(`AWS4${secret}`)
  for (const part of [date, region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest()
  return key
}

export function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Constant-time comparison. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}
