import { parseRecord } from '@holdfast/protocol'

/**
 * Sends a request that was refused for want of a captcha again, with the captcha's response. For `retryRefused` of the client.
 *
 * @param solve - shows the captcha; `undefined` if the user gives up
 */
export async function retryWithCaptcha(
  response: Response,
  body: string,
  send: (body: string) => Promise<Response>,
  solve: () => Promise<string | undefined>,
): Promise<Response> {
  const { code, error_code: earlier } = parseRecord(await response.clone().text()) ?? {}
  if (code !== 'captcha_failed' && earlier !== 'captcha_failed') return response
  const solved = await solve()
  if (solved === undefined) return response
  return send(JSON.stringify({ ...parseRecord(body), gotrue_meta_security: { captcha_token: solved } }))
}
