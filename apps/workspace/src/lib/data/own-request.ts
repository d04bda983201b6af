const ANSWER_MS = 30_000

/**
 * Asks the server.
 *
 * @throws {TypeError} when it was not reached, is silent for half a minute, or something between answers in its place
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
 * Makes sure that an answer is the server's. It answers requests of the app with JSON or with nothing; a page is that of a hotel's network or of a proxy on the way:
 * whatever its status, what was asked for has not happened.
 *
 * @throws {TypeError} as without a network
 */
export function assertOwnAnswer(response: Response): void {
  if (response.headers.get('content-type')?.startsWith('text/html') !== true) return
  throw new TypeError('The response did not come from the server.')
}
