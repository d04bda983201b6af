import { create } from 'zustand'

/** What a mail or provider put into the page's URL. */
export type Arrival =
  /** Exchanged for a session by the browser that requested it. */
  | { readonly kind: 'code'; readonly code: string; readonly flowId: string | undefined }
  /** A session for the holder of the link: invitations, and links created by an administrator. */
  | {
      readonly kind: 'tokens'
      readonly accessToken: string
      readonly refreshToken: string
      /** `invite`, `recovery`, `magiclink`, `signup`, `email_change`. */
      readonly type: string | undefined
    }
  | { readonly kind: 'error'; readonly code: string; readonly description: string }
  /** The first of two links of an email change was opened. */
  | { readonly kind: 'message'; readonly text: string }

/** Removed from the URL at the start; empty after a reload. */
export const useArrival = create<{ readonly arrival: Arrival | undefined }>(() => ({ arrival: undefined }))

const CALLBACK_PATH = '/auth/callback'

/** Parses the query and fragment of a URL. */
export function readArrival(url: URL): Arrival | undefined {
  const hash = new URLSearchParams(url.hash.slice(1))
  const read = (name: string): string | undefined => url.searchParams.get(name) ?? hash.get(name) ?? undefined
  const error = read('error')
  const code = read('error_code') ?? error
  if (code !== undefined && (error !== undefined || read('error_description') !== undefined)) {
    return { kind: 'error', code, description: read('error_description') ?? '' }
  }
  // Accepted only in the fragment, which servers do not see.
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
 * Stores what the URL carries for the screen that handles it, and removes it from address bar and history. A link may lead to any path of the app, where the
 * user continues afterwards.
 *
 * Call before the router reads the URL.
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
