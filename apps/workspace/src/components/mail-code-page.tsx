import type { EmailOtpType } from '@supabase/supabase-js'
import type { JSX, ReactNode } from 'react'
import { useOnline } from '../hooks/use-online.ts'
import { type CodePurpose, useNextSendAtMs } from '../lib/auth/sent-codes.ts'
import { useGoOn } from '../lib/auth/use-go-on.ts'
import { useBackend } from '../lib/data/backend-context.tsx'
import { CodeStep } from './code-step.tsx'
import { EntryPage } from './entry-page.tsx'

/** A page for entering a mail's code, if its link was opened on another device. */
export function MailCodePage({
  email,
  purpose,
  type,
  redirect,
  words,
  onResend,
  children,
}: {
  readonly email: string
  readonly purpose: CodePurpose
  /** The kind of the code, as the server knows it. */
  readonly type: EmailOtpType
  /** Where the person continues; `undefined` is the start page. */
  readonly redirect?: string | undefined
  readonly words: {
    readonly checkMail: string
    readonly checkMailDetail: (email: string) => string
    readonly offline: string
    readonly resend: string
  }
  readonly onResend: () => Promise<void>
  /** The link to the previous screen. */
  readonly children: ReactNode
}): JSX.Element {
  const { config, client } = useBackend()
  const isOnline = useOnline()
  const goOn = useGoOn()
  const nextSendAtMs = useNextSendAtMs(purpose, { email })

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
          const { error } = await client.supabase.auth.verifyOtp({ email, token, type })
          if (error) throw error
          await goOn(redirect)
        }}
        onResend={onResend}
      />
      <p className="text-small">{children}</p>
    </EntryPage>
  )
}
