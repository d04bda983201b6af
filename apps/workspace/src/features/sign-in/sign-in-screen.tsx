import { useNavigate, useSearch } from '@tanstack/react-router'
import { CloudOff } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Logo } from '../../components/logo.tsx'
import { Notice } from '../../components/notice.tsx'
import { useDocumentTitle } from '../../components/page.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useAccounts } from '../../lib/data/accounts.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signInMessages as words } from '../../messages/sign-in.ts'
import { LocalAccounts } from './local-accounts.tsx'
import { PasswordForm } from './password-form.tsx'
import { SampleAccountsHint } from './sample-accounts-hint.tsx'
import { useSignInMethods } from './use-sign-in-methods.ts'

/** Sign in with e-mail and password, or open an account that is already on this device. */
export function SignInScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { redirect, email, reason } = useSearch({ strict: false })
  const accounts = useAccounts((state) => state.accounts)
  const methods = useSignInMethods()
  const isOnline = useOnline()
  const navigate = useNavigate()
  const [sampleEmail, setSampleEmail] = useState<string>()
  useDocumentTitle(words.title)

  const goOn = async (): Promise<void> => {
    await navigate({ to: isOwnPath(redirect) ? redirect : '/w', replace: true })
  }

  return (
    <main id="content" className="flex min-h-full flex-col items-center bg-surface px-4 py-10 tablet:justify-center">
      <div className="flex w-full max-w-[25rem] flex-col gap-6">
        <header className="flex flex-col items-center gap-3 text-center">
          <span className="flex text-accent">
            <Logo size={36} />
          </span>
          <div>
            <p className="text-body font-medium text-muted">{config.project.name}</p>
            <h1 tabIndex={-1} className="text-display">
              {words.lead}
            </h1>
          </div>
        </header>

        {reason === 'expired' ? <Notice title={words.reasonExpired} /> : null}
        {isOnline ? null : (
          <div role="status" className="flex items-start gap-3 rounded-lg bg-warning-soft px-4 py-3 text-warning">
            <CloudOff size={18} aria-hidden className="mt-0.5" />
            <div>
              <p className="font-medium">{words.offlineTitle}</p>
              <p className="text-text">
                {accounts.length > 0 ? words.offlineWithAccounts : words.offlineWithoutAccounts}
              </p>
            </div>
          </div>
        )}

        <section aria-label={words.title} className="rounded-lg border border-border bg-raised p-6">
          {methods !== 'unknown' && !methods.hasPassword ? (
            <Notice tone="warning" title={words.noMethod}>
              {words.noMethodDetail}
            </Notice>
          ) : (
            <PasswordForm
              key={sampleEmail}
              email={sampleEmail ?? email ?? ''}
              password={sampleEmail === undefined ? '' : (config.sample?.password ?? '')}
              isOnline={isOnline}
              onSignedIn={goOn}
              supabase={client.supabase}
              projectName={config.project.name}
            />
          )}
        </section>

        {accounts.length > 0 ? (
          <LocalAccounts
            accounts={accounts}
            onOpen={async (account) => {
              await client.openLocally({ id: account.userId, email: account.email })
              await goOn()
            }}
          />
        ) : null}
        {config.sample ? <SampleAccountsHint sample={config.sample} onChoose={setSampleEmail} /> : null}
      </div>
    </main>
  )
}

/** A path of this app; a whole address from a link would lead elsewhere. */
function isOwnPath(path: string | undefined): path is string {
  return path !== undefined && path.startsWith('/') && !path.startsWith('//') && !path.startsWith('/\\')
}
