/** A refusal of the server. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly code: string
  readonly status: number
  /** SQL that removes the cause. */
  readonly hint: string | undefined

  constructor(code: string, status: number, message: string, hint?: string) {
    super(message)
    this.code = code
    this.status = status
    this.hint = hint
  }
}

/** Path prefix of the console's API. */
export const API = '/console/v1'

/** Timeout in ms of a request, after which the page says so instead of waiting on. */
const TIMEOUT_MS = 30_000

/**
 * Calls the console's API.
 *
 * @param target - `GET /overview`, below `/console/v1`
 * @throws {ConsoleError} refusals; `unreachable` without a connection
 */
export async function request<Result>(
  target: string,
  {
    body,
    signal,
    timeoutMs = TIMEOUT_MS,
  }: { readonly body?: unknown; readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<Result> {
  const [method = '', path = ''] = target.split(' ')
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(`${API}${path}`, {
    method,
    credentials: 'same-origin',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ConsoleError('unreachable', 0, 'The server does not answer. Check that it runs, then try again.')
  })
  const answer = (await response.json().catch(() => ({}))) as {
    readonly code?: string
    readonly message?: string
    readonly hint?: string
  }
  if (response.ok) return answer as Result
  throw new ConsoleError(
    answer.code ?? 'unexpected_failure',
    response.status,
    answer.message ?? `The server answered ${response.status}.`,
    answer.hint,
  )
}

/** Writes a query string, leaving out missing values. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined && entry[1] !== '',
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** Returns the message of an error for the page. */
export function messageOf(error: unknown): string {
  return error instanceof ConsoleError ? error.message : 'This did not work. The browser console has the details.'
}
