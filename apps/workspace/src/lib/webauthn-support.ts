/** Whether this page supports passkeys and security keys, and if not, what would help. */
export type WebAuthnSupport =
  | { readonly kind: 'yes' }
  /** Opened by IP address, but browsers bind passkeys to host names. `link`: the same page where they work. */
  | { readonly kind: 'ip_address'; readonly link: string | undefined }
  /** Without HTTPS, browsers support them only on localhost. */
  | { readonly kind: 'insecure' }
  | { readonly kind: 'no_browser' }

/**
 * Determines support from the page's URL, because browsers only give a cryptic error.
 *
 * @see W3C Web Authentication, "Relying Party Identifier": a valid domain, never an IP address
 */
export function webAuthnSupport({
  address,
  isSecure,
  hasApi,
}: {
  /** The page's URL. */
  readonly address: URL
  readonly isSecure: boolean
  readonly hasApi: boolean
}): WebAuthnSupport {
  const { hostname } = address
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[')) {
    const isLoopback = hostname.startsWith('127.') || hostname === '[::1]'
    if (!isLoopback) return { kind: 'ip_address', link: undefined }
    const link = new URL(address)
    link.hostname = 'localhost'
    return { kind: 'ip_address', link: link.href }
  }
  if (!isSecure) return { kind: 'insecure' }
  return hasApi ? { kind: 'yes' } : { kind: 'no_browser' }
}

/** For the current page. */
export function webAuthnSupportHere(): WebAuthnSupport {
  return webAuthnSupport({
    address: new URL(location.href),
    isSecure: isSecureContext,
    hasApi: 'PublicKeyCredential' in window,
  })
}
