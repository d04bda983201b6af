import { useSearch } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { EntryPage } from '../../components/entry-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { emailOf } from '../../lib/auth/identifier.ts'
import { useSignInMethods } from '../../lib/auth/sign-in-methods.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useKnownAccounts } from '../../lib/data/use-known-accounts.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'
import { PasswordForm } from './password-form.tsx'

/** Signs in with a password. */
export function PasswordScreen(): JSX.Element {
  const { config } = useBackend()
  const { redirect, email: given, phone, reason } = useSearch({ strict: false })
  const hasPhone = useSignInMethods(({ methods }) => methods?.phone ?? false)
  const accounts = useKnownAccounts()
  const hasOpenable = accounts.some(({ canOpen, isLocked }) => canOpen || isLocked)
  const isOnline = useOnline()
  const [text, setText] = useState(given ?? phone ?? '')
  const email = emailOf(text)?.toLowerCase()
  const locked = accounts.find((account) => account.isLocked && account.email.toLowerCase() === email)
  const goOn = useGoOn()
  // Selected from the list of sample accounts, not typed.
  const samplePassword = reason === 'sample' ? config.sample?.password : undefined

  return (
    <EntryPage
      project={config.project.name}
      title={words.passwordTitle}
      offline={isOnline ? undefined : offlineText(locked !== undefined, hasOpenable)}
    >
      <PasswordForm
        text={text}
        onTextChange={setText}
        password={samplePassword ?? ''}
        hasPhone={hasPhone || phone !== undefined}
        redirect={redirect}
        locked={locked}
        onSignedIn={() => goOn(redirect)}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-small">
        <TextLink to="/recover" search={{ email: emailOf(text) }}>
          {words.forgot}
        </TextLink>
        <TextLink to="/sign-in" search={{ redirect, email: emailOf(text) }}>
          {words.otherWays}
        </TextLink>
      </div>
    </EntryPage>
  )
}

function offlineText(canUnlock: boolean, hasOpenable: boolean): string {
  if (canUnlock) return words.offlineUnlock
  return hasOpenable ? words.offlineWithAccounts : words.offlineWithoutAccounts
}
