import { vi } from 'vitest'

/** A page in a browser as far as the client looks at it: its address, and that there is a window at all. */
export interface BrowserPage {
  /** As the address bar shows it. */
  address(): string
  leave(): void
}

/**
 * Puts this process behind the address of a page, as a link or a provider leaves it. A client that is made then reads the address.
 */
export function visitPage(href: string): BrowserPage {
  const url = new URL(href)
  const location = {
    get href() {
      return url.href
    },
    get hash() {
      return url.hash
    },
    set hash(hash: string) {
      url.hash = hash
    },
    assign: (next: string) => {
      url.href = next
    },
  }
  const history = {
    state: null,
    replaceState: (_state: unknown, _title: string, next: string) => {
      url.href = next
    },
  }
  vi.stubGlobal('window', {
    location,
    history,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  })
  vi.stubGlobal('document', { visibilityState: 'visible' })
  return { address: () => url.href, leave: () => void vi.unstubAllGlobals() }
}
