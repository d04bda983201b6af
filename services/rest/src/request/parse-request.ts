import { invalidPath, invalidRpcMethod, rootDisabled, unacceptableSchema, unsupportedMethod } from '../errors.ts'
import type { Action, ApiRequest, Payload, Resource } from './api-request.ts'
import { parseAccept } from './media-type.ts'
import { parsePayload } from './payload.ts'
import { parsePreferences } from './preferences.ts'
import { parseQueryParams } from './query-params.ts'
import { parseRange } from './range.ts'

/** A raw request. */
export interface RawRequest {
  readonly method: string
  /** Without the service prefix, still percent-encoded: `/tasks`. */
  readonly path: string
  /** Text after the `?`; empty without one. */
  readonly search: string
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer | undefined
}

/** Options for parsing requests. */
export interface ParseSettings {
  /** The exposed schemas, default first. */
  readonly schemas: readonly string[]
  /** Whether `Prefer: tx=` applies. */
  readonly mayChooseEnd: boolean
  /** Resource at the root path; `undefined` if disabled. */
  readonly root: Resource | undefined
}

/**
 * Parses a request, without the catalog or Postgres.
 *
 * @throws HoldfastError PGRST1xx for an invalid request
 */
export function parseRequest(raw: RawRequest, { schemas, mayChooseEnd, root }: ParseSettings): ApiRequest {
  const headers = singleHeaders(raw.headers)
  const resource = parseResource(raw.path, root)
  const schema = chooseSchema(raw.method, headers, schemas)
  const action = chooseAction(resource, raw.method)
  const isCall = action.kind === 'call'
  const query = parseQueryParams(raw.search, isCall && action.method !== 'POST')
  const range = parseRange(raw.method, headers['range'], query.ranges)
  const payload = parseBody(raw, action, query.columns)
  return {
    action,
    schema,
    schemaNegotiated: schemas.length !== 1,
    query,
    range,
    preferences: parsePreferences(headers['prefer'], mayChooseEnd),
    payload,
    accept: parseAccept(headers['accept']),
    method: raw.method,
    path: raw.path,
    ...splitHeaders(headers),
  }
}

/** Parses only the body. @returns `undefined` for an action without one @throws PGRST102 */
export function parseBody(
  raw: RawRequest,
  action: Action,
  columns: readonly string[] | undefined,
): Payload | undefined {
  const isCall = action.kind === 'call'
  const hasPayload = isCall ? action.method === 'POST' : action.kind === 'mutate' && action.mutation !== 'delete'
  if (!hasPayload) return undefined
  const contentType = raw.headers['content-type']
  return parsePayload({
    body: raw.body ?? Buffer.alloc(0),
    contentType: typeof contentType === 'string' ? contentType : contentType?.join(', '),
    columns: raw.method === 'POST' || raw.method === 'PATCH' ? columns : undefined,
    isCall,
  })
}

/** Parses only the headers, as functions see them. */
export function parseHeaders(raw: RawRequest): Pick<ApiRequest, 'headers' | 'cookies'> {
  return splitHeaders(singleHeaders(raw.headers))
}

function splitHeaders(headers: Readonly<Record<string, string>>): Pick<ApiRequest, 'headers' | 'cookies'> {
  const { cookie, ...others } = headers
  return { headers: others, cookies: parseCookies(cookie) }
}

function parseResource(path: string, root: Resource | undefined): Resource {
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  const names = parts.map((part) => decodePart(part))
  const [first, second] = names
  if (first === undefined) {
    if (!root) throw rootDisabled()
    return root
  }
  if (names.length === 1) return { kind: 'relation', name: first }
  if (names.length === 2 && first === 'rpc' && second !== undefined) return { kind: 'routine', name: second }
  throw invalidPath()
}

function decodePart(part: string): string {
  let name: string
  try {
    name = decodeURIComponent(part)
  } catch {
    throw invalidPath()
  }
  if (name === '' || name.includes('\0')) throw invalidPath()
  return name
}

function chooseSchema(method: string, headers: Readonly<Record<string, string>>, schemas: readonly string[]): string {
  const writes = method === 'POST' || method === 'PATCH' || method === 'PUT' || method === 'DELETE'
  const profile = headers[writes ? 'content-profile' : 'accept-profile']
  const schema = profile ?? schemas[0] ?? 'public'
  if (!schemas.includes(schema)) throw unacceptableSchema(schema, schemas)
  return schema
}

function chooseAction(resource: Resource, method: string): Action {
  if (method === 'OPTIONS') return { kind: 'info', resource }
  if (resource.kind === 'schema') {
    if (method !== 'GET' && method !== 'HEAD') throw unsupportedMethod(method)
    return { kind: 'inspect', headersOnly: method === 'HEAD' }
  }
  if (resource.kind === 'routine') {
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw invalidRpcMethod(method)
    return { kind: 'call', routine: resource.name, method }
  }
  switch (method) {
    case 'GET':
    case 'HEAD':
      return { kind: 'read', relation: resource.name, headersOnly: method === 'HEAD' }
    case 'POST':
      return { kind: 'mutate', relation: resource.name, mutation: 'create' }
    case 'PATCH':
      return { kind: 'mutate', relation: resource.name, mutation: 'update' }
    case 'PUT':
      return { kind: 'mutate', relation: resource.name, mutation: 'put' }
    case 'DELETE':
      return { kind: 'mutate', relation: resource.name, mutation: 'delete' }
    default:
      throw unsupportedMethod(method)
  }
}

function singleHeaders(headers: RawRequest['headers']): Record<string, string> {
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return single
}

function parseCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = {}
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0) cookies[pair.slice(0, equals).trim()] = pair.slice(equals + 1).trim()
  }
  return cookies
}
