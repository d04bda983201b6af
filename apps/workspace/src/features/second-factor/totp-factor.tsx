import type { JSX } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'

const TOTP_DIGITS = 6

/** The code that an authenticator app shows. The challenge is made with the answer, so it cannot run out while a person types. */
export function TotpFactor({ factor, isOnline, onConfirmed }: FactorFormProps): JSX.Element {
  const { config, client } = useBackend()
  return (
    <CodeStep
      digits={TOTP_DIGITS}
      label={words.totpLabel}
      project={config.project.name}
      isOnline={isOnline}
      onVerify={async (code) => {
        const { error } = await client.supabase.auth.mfa.challengeAndVerify({ factorId: factor.id, code })
        if (error) throw error
        await onConfirmed()
      }}
    />
  )
}
