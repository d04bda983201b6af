import { vi } from 'vitest'
import type { SoftwareAuthenticator } from '@holdfast/test-support'

/**
 * Lets the client find what it looks for in a browser with an authenticator. To be undone with `vi.unstubAllGlobals`, and done after the
 * client was made, which would look for more.
 *
 * @param origin - of the page
 */
export function stubBrowser(authenticator: SoftwareAuthenticator, origin: string): void {
  const { browserCredentials: credentials, PublicKeyCredential } = authenticator
  const page = { location: new URL(origin), navigator: { credentials }, PublicKeyCredential }
  vi.stubGlobal('window', page)
  vi.stubGlobal('document', { visibilityState: 'visible' })
  vi.stubGlobal('navigator', page.navigator)
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential)
}

/** Passkeys of a server on this machine work on its pages as `localhost`, because addresses have none. */
export function pageOf(serverUrl: string): string {
  const page = new URL(serverUrl)
  page.hostname = 'localhost'
  return page.origin
}
