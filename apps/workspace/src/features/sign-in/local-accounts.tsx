import type { JSX } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import type { LocalAccount } from '../../lib/data/accounts.ts'
import type { KnownAccount } from '../../lib/data/use-known-accounts.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** Lists accounts with a database on this device. Those not signed out open offline; locked ones open with the password or by signing in. */
export function LocalAccounts({
  accounts,
  isOnline,
  onSignIn,
  onOpen,
}: {
  readonly accounts: readonly KnownAccount[]
  readonly isOnline: boolean
  readonly onSignIn: (account: LocalAccount) => void
  readonly onOpen: (account: LocalAccount) => Promise<void>
}): JSX.Element {
  return (
    <section aria-labelledby="local-accounts" className="flex flex-col gap-2">
      <h2 id="local-accounts" className="text-small font-medium text-muted">
        {words.onThisDevice}
      </h2>
      <ul className="divide-y divide-border overflow-hidden rounded-lg border border-border bg-raised">
        {accounts.map((account) => (
          <li key={account.userId} className="flex items-center gap-3 px-4 py-2.5">
            <Avatar name={account.name} />
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{account.name}</p>
              <p className="truncate text-small text-muted">{account.email}</p>
            </div>
            {account.waiting === 0 ? null : (
              <span className="inline-flex items-center gap-1 text-small text-warning tabular-nums">
                <StateGlyph name="clock" size={14} /> {words.waiting(account.waiting)}
              </span>
            )}
            {account.canOpen ? null : (
              <span className={`text-small ${account.isLocked ? 'text-muted' : 'text-warning'}`}>
                {account.isLocked ? words.locked : words.notLocked}
              </span>
            )}
            <AccountAction account={account} isOnline={isOnline} onSignIn={onSignIn} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function AccountAction({
  account,
  isOnline,
  onSignIn,
  onOpen,
}: {
  readonly account: KnownAccount
  readonly isOnline: boolean
  readonly onSignIn: (account: LocalAccount) => void
  readonly onOpen: (account: LocalAccount) => Promise<void>
}): JSX.Element | null {
  if (account.canOpen) {
    return (
      <Button size="sm" aria-label={words.openAccount(account.name)} onPress={() => void onOpen(account)}>
        {words.open}
      </Button>
    )
  }
  // Users without e-mail sign in above with their phone number.
  if (account.email === '') return null
  const unlocks = !isOnline && account.isLocked
  return (
    <Button
      size="sm"
      aria-label={unlocks ? words.unlockAs(account.name) : words.signInAs(account.name)}
      onPress={() => onSignIn(account)}
    >
      {unlocks ? words.unlock : words.submit}
    </Button>
  )
}
