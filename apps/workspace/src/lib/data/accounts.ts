import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'

const accountSchema = v.object({
  userId: v.string(),
  email: v.string(),
  name: v.string(),
  /** Milliseconds since 1970. */
  usedAt: v.number(),
  /** Changes that were not on the server when this account was last open here. */
  waiting: v.fallback(v.number(), 0),
  /** Nobody can sign in to it again. */
  isGuest: v.fallback(v.boolean(), false),
})

/** An account whose local database is on this device. */
export type LocalAccount = v.InferOutput<typeof accountSchema>

const stored = localValue('hf-accounts', v.array(accountSchema))

/** The accounts of this device, last used first. It is for showing; who is signed in is the client's to know. */
export const useAccounts = create<{ readonly accounts: readonly LocalAccount[] }>(() => ({
  accounts: stored.read() ?? [],
}))

function save(accounts: readonly LocalAccount[]): void {
  useAccounts.setState({ accounts })
  stored.write([...accounts])
}

/** Puts an account at the top of the list; its name and e-mail replace what was known. */
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

/** Takes an account off the list: its database has been wiped. */
export function forgetAccount(userId: string): void {
  save(useAccounts.getState().accounts.filter((account) => account.userId !== userId))
}

/** Keeps what an account has not sent, for the sign-in screen's list. */
export function rememberWaiting(userId: string, waiting: number): void {
  const { accounts } = useAccounts.getState()
  const known = accounts.find((account) => account.userId === userId)
  if (!known || known.waiting === waiting) return
  save(accounts.map((account) => (account === known ? { ...account, waiting } : account)))
}
