/**
 * Whether passkeys can be used at this address. Browsers bind them to a domain name, so a page that was opened by number has none; on a machine's own
 * address there is one under another name.
 */
export type PasskeyPlace =
  | { readonly kind: 'ready' }
  /** `url`: the same page under a name, when this machine has one. */
  | { readonly kind: 'wrong_address'; readonly url: string | undefined }
  | { readonly kind: 'unsupported' }

export function passkeyPlace(page: URL = new URL(location.href)): PasskeyPlace {
  if (isNumeric(page.hostname)) {
    const isLoopback = page.hostname === '[::1]' || page.hostname.startsWith('127.')
    if (!isLoopback) return { kind: 'wrong_address', url: undefined }
    const named = new URL(page)
    named.hostname = 'localhost'
    return { kind: 'wrong_address', url: named.href }
  }
  const canUse = globalThis.isSecureContext && 'PublicKeyCredential' in globalThis && 'credentials' in navigator
  return canUse ? { kind: 'ready' } : { kind: 'unsupported' }
}

/** Whether the browser offers passkeys in the list of a text field. */
export async function canAutofillPasskeys(): Promise<boolean> {
  const available = (globalThis.PublicKeyCredential as typeof PublicKeyCredential | undefined)
    ?.isConditionalMediationAvailable
  return available === undefined ? false : available.call(PublicKeyCredential)
}

function isNumeric(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
}
