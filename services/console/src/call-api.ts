import { HoldfastError } from '@holdfast/foundation'
import { invalidRequest } from './errors.ts'

/** A service of this server whose API the console calls. */
export type ApiService = 'auth' | 'storage' | 'realtime'

export interface ApiRequest {
  readonly method: string
  /** Below `/{service}/v1`, encoded. */
  readonly path: string
  /** A value is sent as JSON, a string as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed value of a JSON response, the text of any other, and `undefined` without a body. */
  readonly body: unknown
}

/** Calls the API of a service with the service key. Responses are held in memory: files go by signed URLs instead. */
export type CallApi = (service: ApiService, request: ApiRequest) => Promise<ApiResponse>

/**
 * Encodes a name as one segment of a path, including its slashes. As segments of their own, `.` and `..` would lead to another path.
 *
 * @throws {HoldfastError} `invalid_request` for `.` and `..`, which cannot be encoded
 */
export function encodeSegment(name: string): string {
  if (name === '.' || name === '..') throw invalidRequest(`No address can contain the name "${name}".`)
  return encodeURIComponent(name.toWellFormed())
}

/** Fields of a refusal: those of the accounts API first, then those of the others. */
interface Refusal {
  readonly error_code?: unknown
  readonly code?: unknown
  readonly error?: unknown
  readonly msg?: unknown
  readonly message?: unknown
  readonly statusCode?: unknown
}

/**
 * Calls an API and returns the body of a successful response.
 *
 * @throws {HoldfastError} with code, status and message of a refusal
 */
export async function requestApi<Body = unknown>(
  call: CallApi,
  service: ApiService,
  request: ApiRequest,
): Promise<Body> {
  const { status, body } = await call(service, request)
  if (status < 400) return (body ?? {}) as Body
  const refusal = (body ?? {}) as Refusal
  // The storage API answers 400 and has the status in the body, as Supabase's does.
  const stated = Number(refusal.statusCode)
  throw new HoldfastError(
    firstText(refusal.error_code, refusal.code, refusal.error) ?? `${service}_refused`,
    Number.isInteger(stated) && stated >= 400 && stated < 600 ? stated : status,
    firstText(refusal.msg, refusal.message) ?? `The ${service} API answered ${status}.`,
  )
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}
