import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'

const accountSchema = v.object({
  userId: v.string(),
  email: v.string(),
  name: v.string(),
  /** Milliseconds since the epoch. */
  usedAt: v.number(),
  /** Unsent changes when this account was last open here. */
  waiting: v.fallback(v.number(), 0),
  /** Signing in to it again is impossible. */
  isGuest: v.fallback(v.boolean(), false),
})

/** An account with a local database on this device. */
export type LocalAccount = v.InferOutput<typeof accountSchema>

const stored = localValue('hf-accounts', v.array(accountSchema))

/** The accounts of this device, last used first, for display. The client knows who is signed in. */
export const useAccounts = create<{ readonly accounts: readonly LocalAccount[] }>(() => ({
  accounts: stored.read() ?? [],
}))

function save(accounts: readonly LocalAccount[]): void {
  useAccounts.setState({ accounts })
  stored.write([...accounts])
}

/** Moves an account to the top of the list, updating name and email. */
export function rememberAccount(person: {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly isGuest: boolean
}): void {
  const { accounts } = useAccounts.getState()
  const known = accounts.find((account) => account.userId === person.userId)
  const entry: LocalAccount = { ...person, usedAt: Date.now(), waiting: known?.waiting ?? 0 }
  save([entry, ...accounts.filter((account) => account.userId !== person.userId)])
}

/** Removes an account whose database was wiped. */
export function forgetAccount(userId: string): void {
  save(useAccounts.getState().accounts.filter((account) => account.userId !== userId))
}

/** Stores an account's number of unsent changes for the sign-in screen. */
export function rememberWaiting(userId: string, waiting: number): void {
  const { accounts } = useAccounts.getState()
  const known = accounts.find((account) => account.userId === userId)
  if (!known || known.waiting === waiting) return
  save(accounts.map((account) => (account === known ? { ...account, waiting } : account)))
}
