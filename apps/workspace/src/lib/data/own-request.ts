const ANSWER_MS = 30_000

/**
 * Sends a request to the server.
 *
 * @throws {TypeError} if it is unreachable, silent for half a minute, or an intermediary responds
 */
export async function ownRequest(address: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(address, { ...init, signal: AbortSignal.timeout(ANSWER_MS) })
  } catch (error) {
    throw error instanceof DOMException ? new TypeError(error.message, { cause: error }) : error
  }
  assertOwnAnswer(response)
  return response
}

/**
 * Verifies that a response is the server's: JSON or empty. A page comes from a captive portal or proxy, whatever its status.
 *
 * @throws {TypeError} as without a network
 */
export function assertOwnAnswer(response: Response): void {
  if (response.headers.get('content-type')?.startsWith('text/html') !== true) return
  throw new TypeError('The response did not come from the server.')
}
