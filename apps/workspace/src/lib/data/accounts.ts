import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'

const accountSchema = v.object({
  userId: v.string(),
  email: v.string(),
  name: v.string(),
  /** Milliseconds since 1970. */
  usedAt: v.number(),
  /** Changes in the outbox when this account was last open here. */
  waiting: v.fallback(v.number(), 0),
})
const stateSchema = v.object({ accounts: v.array(accountSchema), openUserId: v.nullable(v.string()) })

/** An account whose local database is on this device. */
export type LocalAccount = v.InferOutput<typeof accountSchema>

/**
 * What is known about the open account's right to talk to the server.
 * `checking` until the auth client has looked, `stale` while the token cannot be refreshed for want of a connection,
 * `expired` when the server refused: the local database stays open in every one of them.
 */
export type SessionState = 'checking' | 'active' | 'stale' | 'expired'

export interface AccountsState {
  readonly accounts: readonly LocalAccount[]
  /** Whose local database is open; `null` on the sign-in screen. */
  readonly openUserId: string | null
  readonly session: SessionState
}

const stored = localValue('hf-accounts', stateSchema)

export const useAccounts = create<AccountsState>(() => ({
  ...(stored.read() ?? { accounts: [], openUserId: null }),
  session: 'checking',
}))

function save(change: Partial<AccountsState>): void {
  useAccounts.setState(change)
  const { accounts, openUserId } = useAccounts.getState()
  stored.write({ accounts: [...accounts], openUserId })
}

/** The account whose database is open. */
export function openAccount(): LocalAccount | undefined {
  const { accounts, openUserId } = useAccounts.getState()
  return accounts.find((account) => account.userId === openUserId)
}

/** Remembers an account on this device and opens it. Its name and e-mail replace what was known. */
export function enterAccount(person: { readonly userId: string; readonly email: string; readonly name: string }): void {
  const { accounts } = useAccounts.getState()
  const known = accounts.find((account) => account.userId === person.userId)
  const entry: LocalAccount = { ...person, usedAt: Date.now(), waiting: known?.waiting ?? 0 }
  save({
    accounts: [entry, ...accounts.filter((account) => account.userId !== person.userId)],
    openUserId: person.userId,
  })
}

/** Opens an account of this device without a session: reading and editing go on, sync waits for a sign-in. */
export function enterLocally(userId: string): void {
  save({ openUserId: userId, session: 'expired' })
}

/** Closes the open account; with `isForgotten` it also leaves the list, for its database has been wiped. */
export function leaveAccount({ isForgotten }: { readonly isForgotten: boolean }): void {
  const { accounts, openUserId } = useAccounts.getState()
  save({
    accounts: isForgotten ? accounts.filter((account) => account.userId !== openUserId) : accounts,
    openUserId: null,
    session: 'checking',
  })
}

export function setSessionState(session: SessionState): void {
  if (useAccounts.getState().session !== session) useAccounts.setState({ session })
}

/** Keeps the outbox count of the open account, for the sign-in screen's list. */
export function rememberWaiting(waiting: number): void {
  const { accounts, openUserId } = useAccounts.getState()
  const known = accounts.find((account) => account.userId === openUserId)
  if (!known || known.waiting === waiting) return
  save({ accounts: accounts.map((account) => (account === known ? { ...account, waiting } : account)) })
}
