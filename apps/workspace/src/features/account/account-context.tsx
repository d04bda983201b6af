import type { HoldfastClient } from '@holdfast/client'
import { useValue } from '@holdfast/react'
import type { User } from '@supabase/supabase-js'
import { createContext, type JSX, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { useOnline } from '../../hooks/use-online.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'

type Supabase = HoldfastClient['supabase']

/** The signed-in user, for the account screens. */
export interface Account {
  readonly supabase: Supabase
  /** The server's last answer, or the user stored in this device's session. `undefined`: not read yet. */
  readonly user: User | undefined
  /** Why the server's answer is missing. */
  readonly error: unknown
  /** Why changes are currently not possible. */
  readonly blocked: 'offline' | 'expired' | undefined
  /** Reads the user again after a change that the auth client does not report. */
  readonly reload: () => Promise<void>
}

const AccountContext = createContext<Account | undefined>(undefined)

/** Reads the user once for all account screens: from the session, then from the server, then after every change. */
export function AccountProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const { client } = useBackend()
  const { supabase } = client
  const isOnline = useOnline()
  const session = useValue(client.session)
  const isExpired = session.kind === 'expired'
  const [user, setUser] = useState<User>()
  const [error, setError] = useState<unknown>()

  const reload = useCallback(
    () =>
      supabase.auth.getUser().then(({ data, error: cause }) => {
        if (data.user) setUser(data.user)
        setError(cause ?? undefined)
      }, setError),
    [supabase],
  )

  // The auth client reports changes made here and in other tabs, starting with the stored session.
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => {
      if (next) setUser(next.user)
    })
    return () => data.subscription.unsubscribe()
  }, [supabase])

  const canRead = isOnline && !isExpired
  // Reads from the server when the screens open and when the connection returns.
  useEffect(() => {
    if (canRead) void reload()
  }, [canRead, reload])

  const blocked = isExpired ? 'expired' : isOnline ? undefined : 'offline'
  const account = useMemo(
    () => ({ supabase, user, error: canRead ? error : undefined, blocked, reload }) as const,
    [supabase, user, error, canRead, blocked, reload],
  )
  return <AccountContext value={account}>{children}</AccountContext>
}

/** Returns the account. Only available below the account layout. */
export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (!account) throw new Error('useAccount is called outside of the account layout')
  return account
}
