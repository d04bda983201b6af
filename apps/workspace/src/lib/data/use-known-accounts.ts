import { usePeople } from '@holdfast/react'
import { type LocalAccount, useAccounts } from './accounts.ts'

/** An account whose database is on this device. */
export interface KnownAccount extends LocalAccount {
  /** They did not sign out: their database opens without signing in. */
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
