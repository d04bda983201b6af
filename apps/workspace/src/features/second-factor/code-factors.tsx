import { type JSX, useState } from 'react'
import { CodeStep } from '../../components/code-step.tsx'
import { EntryForm } from '../../components/entry-form.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'

const TOTP_DIGITS = 6

/** Verifies an authenticator app's code. The challenge is created with the answer, so it cannot expire while the user types. */
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

/** Verifies one of the user's recovery codes, for lost factors. */
export function RecoveryCodeFactor({ onConfirmed }: FactorFormProps): JSX.Element {
  const { client } = useBackend()
  const [text, setText] = useState('')
  const code = text.trim()
  const form = useEntryForm<'recovery-code'>({
    check: () => (code === '' ? { field: 'recovery-code', text: words.recoveryMissing } : undefined),
    async send() {
      const { error } = await client.supabase.auth.mfa.recoveryCodes.verify({ code })
      if (error) throw error
      await onConfirmed()
    },
    answer: (failure) => ({
      field: 'recovery-code',
      text: failure.kind === 'code' ? words.recoveryWrong : undefined,
    }),
  })

  return (
    <EntryForm form={form} submitLabel={words.recoverySubmit}>
      <TextField
        label={words.recoveryLabel}
        name="recovery-code"
        autoComplete="off"
        spellCheck={false}
        isMono
        value={text}
        onChange={setText}
        autoFocus
        description={words.recoveryHelp}
        errorMessage={form.problemOf('recovery-code')}
      />
    </EntryForm>
  )
}
