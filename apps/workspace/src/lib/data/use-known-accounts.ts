import { usePeople } from '@holdfast/react'
import { type LocalAccount, useAccounts } from './accounts.ts'

/** An account with a database on this device. */
export interface KnownAccount extends LocalAccount {
  /** Not signed out: the database opens without signing in. */
  readonly canOpen: boolean
  /** Signed out, and the data is encrypted: the password opens it offline. */
  readonly isLocked: boolean
}

export function useKnownAccounts(): readonly KnownAccount[] {
  const accounts = useAccounts((state) => state.accounts)
  const people = usePeople()
  return accounts.map((account) => {
    const known = people.find(({ id }) => id === account.userId)
    return { ...account, canOpen: known?.isSignedOut === false, isLocked: known?.isLocked === true }
  })
}
