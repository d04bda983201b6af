import type { JSX } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Avatar } from '../../components/avatar.tsx'
import type { SampleAccounts } from '../../lib/data/app-config.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** Lists the sample project's users; a press fills in the form. Only a server with sample data on loopback names them. */
export function SampleAccountsHint({
  sample,
  onChoose,
}: {
  readonly sample: SampleAccounts
  readonly onChoose: (email: string) => void
}): JSX.Element {
  return (
    <section aria-labelledby="sample-accounts" className="flex flex-col gap-2">
      <h2 id="sample-accounts" className="text-small font-medium text-muted">
        {words.sampleTitle}
      </h2>
      <ul className="divide-y divide-border overflow-hidden rounded-lg border border-border bg-raised">
        {sample.accounts.map((account) => (
          <li key={account.email}>
            <AriaButton
              onPress={() => onChoose(account.email)}
              className="focus-inset flex min-h-12 w-full items-center gap-3 px-4 py-2 text-left transition-colors data-hovered:bg-hover data-pressed:bg-pressed"
            >
              <Avatar name={account.name} />
              <span className="min-w-0">
                <span className="block truncate font-medium">{account.name}</span>
                <span className="block text-small text-muted">{account.role ?? account.email}</span>
              </span>
            </AriaButton>
          </li>
        ))}
      </ul>
      <p className="text-small text-muted">{words.samplePassword(sample.password)}</p>
    </section>
  )
}
