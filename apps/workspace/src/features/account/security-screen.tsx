import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { type JSX, useEffect, useState } from 'react'
import { Page } from '../../components/page.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { cx } from '../../lib/cx.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { AccountState } from './account-layout.tsx'
import { FactorsSection } from './factors-section.tsx'
import { verifiedFactors } from './factors.ts'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { useAuthSettings } from './use-auth-settings.ts'

/** Password, second factors and passkeys. */
export function SecurityScreen(): JSX.Element {
  const { user } = useAccount()
  const settings = useAuthSettings()
  return (
    <Page title={words.title} description={words.lead} width="reading">
      <AccountState>
        {user === undefined ? (
          <Skeleton rows={6} label={accountMessages.loading} />
        ) : (
          <>
            <AssuranceLevel hasFactors={verifiedFactors(user).length > 0} />
            <PasswordSection user={user} />
            <FactorsSection factors={verifiedFactors(user)} settings={settings} />
            <PasskeysSection settings={settings} />
          </>
        )}
      </AccountState>
    </Page>
  )
}

/** Describes the session's assurance level in plain words. */
function AssuranceLevel({ hasFactors }: { readonly hasFactors: boolean }): JSX.Element | null {
  const { supabase } = useAccount()
  const [level, setLevel] = useState<string | null>()
  // The level is in the session's token; the auth client reports changes.
  useEffect(() => {
    const look = async (): Promise<void> => {
      const { data } = await supabase.auth.mfa.getAuthenticatorAssuranceLevel()
      if (data) setLevel(data.currentLevel)
    }
    void look()
    // Deferred, because the auth client waits for its listeners.
    const { data } = supabase.auth.onAuthStateChange(() => void setTimeout(() => void look(), 0))
    return () => data.subscription.unsubscribe()
  }, [supabase])

  if (level === undefined || level === null) return null
  const isFull = level === 'aal2'
  const [title, detail] = isFull
    ? [words.levelTwo, words.levelTwoDetail]
    : hasFactors
      ? [words.levelOneOfTwo, words.levelOneOfTwoDetail]
      : [words.levelOne, words.levelOneDetail]
  return (
    <div className="flex items-start gap-3 rounded-lg border border-border bg-surface px-4 py-3">
      <span className={cx('flex pt-0.5', isFull ? 'text-success' : hasFactors ? 'text-warning' : 'text-muted')}>
        {isFull ? <ShieldCheck size={20} aria-hidden /> : <ShieldAlert size={20} aria-hidden />}
      </span>
      <div>
        <p className="font-medium">{title}</p>
        <p className="text-muted">{detail}</p>
      </div>
    </div>
  )
}
