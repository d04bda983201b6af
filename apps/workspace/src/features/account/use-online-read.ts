import { useCallback, useEffect, useRef, useState } from 'react'
import { useAccount } from './account-context.tsx'

/** State of data that only the server has. */
export type OnlineRead<T> =
  | { readonly kind: 'loading' }
  /** Never read, and currently offline. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Kept during rereads and while offline. `error`: why the last reread failed. */
  | { readonly kind: 'ready'; readonly value: T; readonly error?: unknown }

/**
 * Reads data from the server when the screen opens, when the connection returns and on `reload`.
 *
 * @param read - must keep its identity between renders
 */
export function useOnlineRead<T>(read: () => Promise<T>): {
  readonly state: OnlineRead<T>
  readonly reload: () => Promise<void>
} {
  const { blocked } = useAccount()
  const [state, setState] = useState<OnlineRead<T>>({ kind: 'loading' })
  // Drops answers overtaken by a later request.
  const latest = useRef(0)

  const reload = useCallback(() => {
    latest.current += 1
    const mine = latest.current
    return read().then(
      (value) => {
        if (mine === latest.current) setState({ kind: 'ready', value })
      },
      (error: unknown) => {
        if (mine !== latest.current) return
        // A failed reread keeps the shown value, with the dialogs over it.
        setState((now) => (now.kind === 'ready' ? { ...now, error } : { kind: 'failed', error }))
      },
    )
  }, [read])

  const isBlocked = blocked !== undefined
  // The network is outside React.
  useEffect(() => {
    if (!isBlocked) void reload()
  }, [isBlocked, reload])

  return { state: isBlocked && state.kind !== 'ready' ? { kind: 'offline' } : state, reload }
}
