import { type JSX, useState } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { EntryForm } from '../../components/entry-form.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { formatCountdown } from '../../lib/format.ts'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'

/** Minimum interval in ms between messages to a phone. The server has its own limit. */
const RESEND_WAIT_MS = 30_000

interface Challenge {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number
  readonly sentAtMs: number
}

/** Verifies a code from a text message. Sent only on request, because messages cost money. */
export function PhoneFactor(props: FactorFormProps): JSX.Element {
  const { client } = useBackend()
  const [challenge, setChallenge] = useState<Challenge>()

  const send = async (): Promise<void> => {
    const { data, error } = await client.supabase.auth.mfa.challenge({ factorId: props.factor.id, channel: 'sms' })
    if (error) throw error
    setChallenge({ id: data.id, expiresAtMs: data.expires_at * 1_000, sentAtMs: Date.now() })
  }
  return challenge === undefined ? (
    <SendForm onSend={send} />
  ) : (
    <SentCode {...props} challenge={challenge} onResend={send} />
  )
}

function SendForm({ onSend }: { readonly onSend: () => Promise<void> }): JSX.Element {
  const form = useEntryForm({ send: onSend })
  return <EntryForm form={form} submitLabel={words.sendMessage} />
}

function SentCode({
  factor,
  isOnline,
  onConfirmed,
  challenge,
  onResend,
}: FactorFormProps & {
  readonly challenge: Challenge
  readonly onResend: () => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const leftS = useSecondsUntil(challenge.expiresAtMs)
  return (
    <CodeStep
      digits={config.account.codeDigits.phoneFactor}
      label={words.phoneLabel}
      project={config.project.name}
      isOnline={isOnline}
      nextSendAtMs={Math.min(challenge.sentAtMs + RESEND_WAIT_MS, challenge.expiresAtMs)}
      onResend={onResend}
      onVerify={async (code) => {
        const { error } = await client.supabase.auth.mfa.verify({
          factorId: factor.id,
          challengeId: challenge.id,
          code,
        })
        if (error) throw error
        await onConfirmed()
      }}
    >
      <p className="text-small text-muted tabular-nums">
        {leftS > 0 ? words.validFor(formatCountdown(leftS)) : words.tooLate}
      </p>
    </CodeStep>
  )
}
