import { useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useNextSendAtMs } from '../../lib/auth/sent-codes.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { recoverMessages as words } from '../../messages/recover.ts'
import { sendRecoveryMail } from './send-recovery-mail.ts'

/** The code of the recovery mail, for when its link is opened on another device. */
export function RecoveryCodeScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { email = '' } = useSearch({ strict: false })
  const isOnline = useOnline()
  const goOn = useGoOn()
  const nextSendAtMs = useNextSendAtMs('recovery', { email })

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
          const { error } = await client.supabase.auth.verifyOtp({ email, token, type: 'recovery' })
          if (error) throw error
          await goOn(undefined)
        }}
        onResend={() => sendRecoveryMail(client.supabase, email)}
      />
      <p className="text-small">
        <TextLink to="/sign-in" search={{ email }}>
          {words.back}
        </TextLink>
      </p>
    </EntryPage>
  )
}
