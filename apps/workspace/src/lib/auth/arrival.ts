import { create } from 'zustand'

/** What a mail or a provider has put into the address of this page. */
export type Arrival =
  /** To be exchanged for a session by the browser that asked for it. */
  | { readonly kind: 'code'; readonly code: string; readonly flowId: string | undefined }
  /** A session for whoever has the link: invitations, and links that an administrator made. */
  | {
      readonly kind: 'tokens'
      readonly accessToken: string
      readonly refreshToken: string
      /** `invite`, `recovery`, `magiclink`, `signup`, `email_change`. */
      readonly type: string | undefined
    }
  | { readonly kind: 'error'; readonly code: string; readonly description: string }
  /** The first of two links of an e-mail change was followed. */
  | { readonly kind: 'message'; readonly text: string }

/** Taken out of the address at the start; empty after a reload. */
export const useArrival = create<{ readonly arrival: Arrival | undefined }>(() => ({ arrival: undefined }))

const CALLBACK_PATH = '/auth/callback'

/** Reads an address, in the query and in the fragment. */
export function readArrival(url: URL): Arrival | undefined {
  const hash = new URLSearchParams(url.hash.slice(1))
  const read = (name: string): string | undefined => url.searchParams.get(name) ?? hash.get(name) ?? undefined
  const error = read('error')
  const code = read('error_code') ?? error
  if (code !== undefined && (error !== undefined || read('error_description') !== undefined)) {
    return { kind: 'error', code, description: read('error_description') ?? '' }
  }
  // Only ever in the fragment, which no server sees.
  const accessToken = hash.get('access_token')
  const refreshToken = hash.get('refresh_token')
  if (accessToken !== null && refreshToken !== null) {
    return { kind: 'tokens', accessToken, refreshToken, type: hash.get('type') ?? undefined }
  }
  const exchange = url.searchParams.get('code')
  if (exchange !== null) {
    return { kind: 'code', code: exchange, flowId: url.searchParams.get('sb_flow_id') ?? undefined }
  }
  const text = hash.get('message')
  return text === null ? undefined : { kind: 'message', text }
}

/**
 * Keeps what the address carries for the screen that handles it, and takes it out of the address bar and the history. A link may lead to any path of
 * the app, such as `/` without a destination; the path is where the person goes on.
 *
 * Call it before the router looks at the address.
 */
export function takeArrival(): void {
  const url = new URL(location.href)
  const arrival = readArrival(url)
  if (!arrival) return
  useArrival.setState({ arrival })
  const kept = new URLSearchParams()
  for (const name of ['flow', 'redirect', 'provider']) {
    const value = url.searchParams.get(name)
    if (value !== null) kept.set(name, value)
  }
  if (url.pathname !== CALLBACK_PATH && url.pathname !== '/') kept.set('redirect', url.pathname)
  const query = kept.toString()
  history.replaceState(null, '', query === '' ? CALLBACK_PATH : `${CALLBACK_PATH}?${query}`)
}
