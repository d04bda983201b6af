/** Marker contained only in the app shell. */
const SHELL_MARK = 'class="first-frame'

/**
 * Whether a response is the requested app file. Captive portals and proxies respond with their own page and status 200; if cached, that page would replace the
 * app until the next version.
 *
 * @param url - of the file
 */
export async function isOwnFile(url: string, response: Response): Promise<boolean> {
  if (response.status !== 200) return false
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false
  if (!new URL(url).pathname.endsWith('.html')) return !isPage
  return isPage && (await response.clone().text()).includes(SHELL_MARK)
}
