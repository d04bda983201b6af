import { useNavigate, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { EntryPage } from '../../components/entry-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useSignInMethods } from '../../lib/auth/sign-in-methods.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signUpMessages as words } from '../../messages/sign-up.ts'
import { EmailSignUpForm } from './email-sign-up-form.tsx'
import { PhoneSignUpForm } from './phone-sign-up-form.tsx'

/** Creates an account: with e-mail and password or, if the server has no e-mail, with a phone number. */
export function SignUpScreen(): JSX.Element {
  const { config } = useBackend()
  const { redirect, email } = useSearch({ strict: false })
  const methods = useSignInMethods((state) => state.methods)
  const isOnline = useOnline()
  const navigate = useNavigate()
  const goOn = useGoOn()
  const isOff = methods !== undefined && (!methods.signUp || (!methods.email && !methods.phone))

  return (
    <EntryPage
      project={config.project.name}
      title={words.title}
      offline={isOnline ? undefined : words.offline}
      below={
        <p className="flex flex-wrap items-center justify-center gap-x-1.5 text-small text-muted">
          {words.haveAccount}
          <TextLink to="/sign-in" search={{ redirect }}>
            {words.signIn}
          </TextLink>
        </p>
      }
    >
      {isOff ? (
        <Notice tone="warning" title={words.off}>
          {words.offDetail}
        </Notice>
      ) : methods === undefined || methods.email ? (
        <EmailSignUpForm
          email={email ?? ''}
          redirect={redirect}
          onSignedIn={() => goOn(redirect)}
          onUnconfirmed={(address) => navigate({ to: '/sign-up/confirm', search: { redirect, email: address } })}
        />
      ) : (
        <PhoneSignUpForm onSent={(phone) => navigate({ to: '/sign-in/code', search: { redirect, phone } })} />
      )}
    </EntryPage>
  )
}
