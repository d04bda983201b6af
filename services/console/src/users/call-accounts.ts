import { HoldfastError } from '@holdfast/foundation'

/** A request to the accounts API with the service key. Returns status and JSON body. */
export type CallAccounts = (request: {
  readonly method: string
  /** Below `/auth/v1`. */
  readonly path: string
  readonly body?: unknown
}) => Promise<{ readonly status: number; readonly body: unknown }>

interface Refusal {
  readonly code?: unknown
  readonly error_code?: unknown
  readonly msg?: unknown
  readonly message?: unknown
}

/**
 * Calls the accounts API and returns the body of a successful response.
 *
 * @throws {HoldfastError} with code, status and message of a refusal
 */
export async function requestAccounts<Body>(call: CallAccounts, request: Parameters<CallAccounts>[0]): Promise<Body> {
  const { status, body } = await call(request)
  if (status < 400) return body as Body
  const { error_code: code, msg, message } = (body ?? {}) as Refusal
  const text =
    typeof msg === 'string' ? msg : typeof message === 'string' ? message : `The accounts API answered ${status}.`
  throw new HoldfastError(typeof code === 'string' ? code : 'accounts_refused', status, text)
}
