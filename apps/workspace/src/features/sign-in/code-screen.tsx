import { useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useNextSendAtMs } from '../../lib/auth/sent-codes.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signInMessages as words } from '../../messages/sign-in.ts'
import { sendSignInCode } from './send-sign-in-code.ts'

/** Accepts a code sent by mail or text message, including that of a link opened on another device. */
export function CodeScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { redirect, email, phone } = useSearch({ strict: false })
  const isOnline = useOnline()
  const goOn = useGoOn()
  const identifier = phone === undefined ? { email: email ?? '' } : { phone }
  const nextSendAtMs = useNextSendAtMs('sign-in', identifier)

  return (
    <EntryPage
      project={config.project.name}
      title={words.codeTitle}
      lead={phone === undefined ? words.codeSentTo(email ?? '') : words.codeSentToPhone(phone)}
      offline={isOnline ? undefined : words.offlineWithoutAccounts}
    >
      <CodeStep
        digits={phone === undefined ? config.account.codeDigits.email : config.account.codeDigits.phone}
        project={config.project.name}
        isOnline={isOnline}
        nextSendAtMs={nextSendAtMs}
        submitLabel={words.submit}
        onVerify={async (token) => {
          const { error } = await client.supabase.auth.verifyOtp(
            phone === undefined ? { email: email ?? '', token, type: 'email' } : { phone, token, type: 'sms' },
          )
          if (error) throw error
          await goOn(redirect)
        }}
        onResend={() => sendSignInCode(client.supabase, identifier, redirect)}
      />
      <p className="text-small">
        <TextLink to="/sign-in" search={{ redirect, email }}>
          {words.otherWays}
        </TextLink>
      </p>
    </EntryPage>
  )
}
