import { type JSX, useState } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { formatCountdown } from '../../lib/format.ts'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'

/** Between two messages to one phone, in milliseconds; the server has a limit of its own. */
const RESEND_WAIT_MS = 30_000

interface Challenge {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number
  readonly sentAtMs: number
}

/** A code in a message. Messages cost money, so the person asks for it. */
export function PhoneFactor({ factor, isOnline, onConfirmed }: FactorFormProps): JSX.Element {
  const { config, client } = useBackend()
  const { mfa } = client.supabase.auth
  const [challenge, setChallenge] = useState<Challenge>()
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const leftS = useSecondsUntil(challenge?.expiresAtMs)

  const send = async (): Promise<void> => {
    const { data, error } = await mfa.challenge({ factorId: factor.id, channel: 'sms' })
    if (error) throw error
    setChallenge({ id: data.id, expiresAtMs: data.expires_at * 1_000, sentAtMs: Date.now() })
  }

  if (!challenge) {
    return (
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (isPending || !isOnline || waitS > 0) return
          setPending(true)
          setFailure(undefined)
          send()
            .catch((error: unknown) => {
              const why = classifyAuthError(error, config.project.name)
              setFailure(why)
              if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
            })
            .finally(() => setPending(false))
        }}
      >
        <FormFailure failure={failure} waitS={waitS} />
        <SubmitButton isOnline={isOnline} isPending={isPending} isDisabled={waitS > 0}>
          {words.sendMessage}
        </SubmitButton>
      </form>
    )
  }
  return (
    <CodeStep
      digits={config.account.codeDigits.phoneFactor}
      label={words.phoneLabel}
      project={config.project.name}
      isOnline={isOnline}
      nextSendAtMs={Math.min(challenge.sentAtMs + RESEND_WAIT_MS, challenge.expiresAtMs)}
      onResend={send}
      onVerify={async (code) => {
        const { error } = await mfa.verify({ factorId: factor.id, challengeId: challenge.id, code })
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
