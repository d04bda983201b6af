import { usePeople } from '@holdfast/react'
import { type LocalAccount, useAccounts } from './accounts.ts'

/** An account with a database on this device. */
export interface KnownAccount extends LocalAccount {
  /** Not signed out: the database opens without signing in. */
  readonly canOpen: boolean
}

export function useKnownAccounts(): readonly KnownAccount[] {
  const accounts = useAccounts((state) => state.accounts)
  const people = usePeople()
  return accounts.map((account) => ({
    ...account,
    canOpen: people.some(({ id, isSignedOut }) => id === account.userId && !isSignedOut),
  }))
}
