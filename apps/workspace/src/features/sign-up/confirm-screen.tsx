import { useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { MailCodePage } from '../../components/mail-code-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signUpMessages as words } from '../../messages/sign-up.ts'

/** Confirms a new account's address with the mail's code, or waits for its link to be opened. */
export function ConfirmScreen(): JSX.Element {
  const { client } = useBackend()
  const { redirect, email = '' } = useSearch({ strict: false })
  return (
    <MailCodePage
      email={email}
      purpose="sign-up"
      type="email"
      redirect={redirect}
      words={words}
      onResend={async () => {
        const emailRedirectTo = callbackUrl({ flow: 'sign-up', redirect })
        const { error } = await client.supabase.auth.resend({ type: 'signup', email, options: { emailRedirectTo } })
        if (error) throw error
        noteSent('sign-up', { email })
      }}
    >
      <TextLink to="/sign-up" search={{ redirect, email }}>
        {words.otherAddress}
      </TextLink>
    </MailCodePage>
  )
}
