import type { Factor } from '@supabase/supabase-js'
import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { CodeField } from './code-field.tsx'
import { FailureText } from './failure-text.tsx'
import { nameOfFactor } from './factors.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { type SecondStep, useSecondStep } from './use-second-step.ts'

/** Asks a user signed in with one factor for the second. */
export function StepUpDialog({
  factors,
  onClose,
  onConfirmed,
}: {
  /** The verified factors, at least one. */
  readonly factors: readonly Factor[]
  readonly onClose: () => void
  readonly onConfirmed: () => void
}): JSX.Element {
  const step = useSecondStep(factors, onConfirmed)
  const { kind } = step
  return (
    <FormDialog
      title={words.stepUpTitle}
      submitLabel={kind === 'webauthn' ? words.askForKey : step.isSending ? words.sendCode : words.confirm}
      closeLabel={accountMessages.cancel}
      isPending={step.isPending}
      onSubmit={step.submit}
      onClose={onClose}
    >
      <p className="text-muted">{words.stepUpLead}</p>
      {factors.length > 1 ? (
        <Select
          label={words.stepUpWith}
          value={step.factor?.id ?? ''}
          options={factors.map((each) => ({ value: each.id, label: nameOfFactor(each) }))}
          onChange={step.choose}
        />
      ) : null}
      <Answer step={step} />
    </FormDialog>
  )
}

/** The input for the answer. A key has none, and a phone has none until the code is sent. */
function Answer({ step }: { readonly step: SecondStep }): JSX.Element {
  const { config } = useBackend()
  const { kind, factor, code, failure } = step
  if (kind === 'webauthn' || step.isSending) return <FailureText failure={failure} />
  if (kind === 'recovery_code') {
    return (
      <TextField
        label={words.recoveryCode}
        name="recovery-code"
        autoComplete="off"
        spellCheck={false}
        isMono
        autoFocus
        value={code}
        onChange={step.type}
        description={words.recoveryCodeHelp}
        errorMessage={failure?.message}
      />
    )
  }
  return (
    <CodeField
      key={factor?.id}
      value={code}
      onChange={step.type}
      digits={kind === 'phone' ? config.account.codeDigits.phoneFactor : TOTP_DIGITS}
      description={kind === 'phone' ? words.codeFromPhone : words.codeFromApp(nameOfFactor(factor))}
      failure={failure}
    />
  )
}

const TOTP_DIGITS = 6
