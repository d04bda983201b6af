import { useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { noteSent, useNextSendAtMs } from '../../lib/auth/sent-codes.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signUpMessages as words } from '../../messages/sign-up.ts'

/** An account waits for its address to be confirmed: by the code of the mail here, or by its link. */
export function ConfirmScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { redirect, email = '' } = useSearch({ strict: false })
  const isOnline = useOnline()
  const goOn = useGoOn()
  const nextSendAtMs = useNextSendAtMs('sign-up', { email })

  return (
    <EntryPage
      project={config.project.name}
      title={words.checkMail}
      lead={words.checkMailDetail(email)}
      offline={isOnline ? undefined : words.offline}
    >
      <CodeStep
        digits={config.account.codeDigits.email}
        project={config.project.name}
        isOnline={isOnline}
        nextSendAtMs={nextSendAtMs}
        resendLabel={words.resend}
        onVerify={async (token) => {
          const { error } = await client.supabase.auth.verifyOtp({ email, token, type: 'email' })
          if (error) throw error
          await goOn(redirect)
        }}
        onResend={async () => {
          const emailRedirectTo = callbackUrl({ flow: 'sign-up', redirect })
          const { error } = await client.supabase.auth.resend({ type: 'signup', email, options: { emailRedirectTo } })
          if (error) throw error
          noteSent('sign-up', { email })
        }}
      />
      <p className="text-small">
        <TextLink to="/sign-up" search={{ redirect, email }}>
          {words.otherAddress}
        </TextLink>
      </p>
    </EntryPage>
  )
}
