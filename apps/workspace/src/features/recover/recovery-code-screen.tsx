import { useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { MailCodePage } from '../../components/mail-code-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { recoverMessages as words } from '../../messages/recover.ts'
import { sendRecoveryMail } from './send-recovery-mail.ts'

/** Accepts the code of a recovery mail that was opened on another device. */
export function RecoveryCodeScreen(): JSX.Element {
  const { client } = useBackend()
  const { email = '' } = useSearch({ strict: false })
  return (
    <MailCodePage
      email={email}
      purpose="recovery"
      type="recovery"
      words={words}
      onResend={() => sendRecoveryMail(client.supabase, email)}
    >
      <TextLink to="/sign-in" search={{ email }}>
        {words.back}
      </TextLink>
    </MailCodePage>
  )
}
