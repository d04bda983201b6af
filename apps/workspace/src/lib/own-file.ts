/** What the shell has and no page of anybody else. */
const SHELL_MARK = 'class="first-frame'

/**
 * Whether an answer is the file of the app that was asked for. A hotel's network, a train's and a company's proxy answer with a page of their own in its place, as a
 * success; kept, that page would be in the app's place until the next version.
 *
 * @param url - of the file
 */
export async function isOwnFile(url: string, response: Response): Promise<boolean> {
  if (response.status !== 200) return false
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false
  if (!new URL(url).pathname.endsWith('.html')) return !isPage
  return isPage && (await response.clone().text()).includes(SHELL_MARK)
}
