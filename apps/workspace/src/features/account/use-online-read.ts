import { useCallback, useEffect, useRef, useState } from 'react'
import { useAccount } from './account-context.tsx'

/** What a screen shows of something that only the server knows. */
export type OnlineRead<T> =
  | { readonly kind: 'loading' }
  /** It was never read, and cannot be now. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Stays while it is read again, and without a connection. `error`: why it could not be read again. */
  | { readonly kind: 'ready'; readonly value: T; readonly error?: unknown }

/**
 * Reads something from the server when the screen opens, when the connection is back, and whenever `reload` is called.
 *
 * @param read - must keep its identity between renders
 */
export function useOnlineRead<T>(read: () => Promise<T>): {
  readonly state: OnlineRead<T>
  readonly reload: () => Promise<void>
} {
  const { blocked } = useAccount()
  const [state, setState] = useState<OnlineRead<T>>({ kind: 'loading' })
  // An answer that was overtaken by a later question is dropped.
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
        // What is shown, with the dialogs over it, does not go because it could not be read once more.
        setState((now) => (now.kind === 'ready' ? { ...now, error } : { kind: 'failed', error }))
      },
    )
  }, [read])

  const isBlocked = blocked !== undefined
  // The network is outside of React.
  useEffect(() => {
    if (!isBlocked) void reload()
  }, [isBlocked, reload])

  return { state: isBlocked && state.kind !== 'ready' ? { kind: 'offline' } : state, reload }
}
