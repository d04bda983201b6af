import type { Factor } from '@supabase/supabase-js'
import { type JSX, useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select } from '../../components/select.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { TextField } from '../../components/text-field.tsx'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { type AccountFailure, describeAccountError } from './account-failure.ts'
import { CodeField } from './code-field.tsx'
import { FailureText } from './failure-text.tsx'
import { nameOfFactor } from './factors.ts'
import { unwrap } from './unwrap.ts'

/** Asks for the second step of somebody who is signed in with one. */
export function StepUpDialog({
  factors,
  onClose,
  onConfirmed,
}: {
  /** The verified ones, at least one. */
  readonly factors: readonly Factor[]
  readonly onClose: () => void
  readonly onConfirmed: () => void
}): JSX.Element {
  const { config } = useBackend()
  const { supabase } = useAccount()
  const [factorId, setFactorId] = useState(factors[0]?.id ?? '')
  const [challengeId, setChallengeId] = useState<string>()
  const [code, setCode] = useState('')
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<AccountFailure>()
  const formId = useId()
  const factor = factors.find(({ id }) => id === factorId)
  const kind = factor?.factor_type ?? 'totp'
  const isSending = kind === 'phone' && challengeId === undefined

  const confirm = async (): Promise<void> => {
    if (kind === 'webauthn') {
      unwrap(await supabase.auth.mfa.webauthn.authenticate({ factorId }))
    } else if (kind === 'recovery_code') {
      unwrap(await supabase.auth.mfa.recoveryCodes.verify({ code }))
    } else if (kind === 'totp') {
      unwrap(await supabase.auth.mfa.challengeAndVerify({ factorId, code }))
    } else if (challengeId === undefined) {
      setChallengeId(unwrap(await supabase.auth.mfa.challenge({ factorId, channel: 'sms' })).id)
      return
    } else {
      unwrap(await supabase.auth.mfa.verify({ factorId, challengeId, code }))
    }
    onConfirmed()
  }
  const submit = async (): Promise<void> => {
    if (isPending) return
    if (kind !== 'webauthn' && !isSending && code === '') {
      setFailure({ code: 'HF-CODE-MISSING', message: accountMessages.codeMissing })
      return
    }
    setPending(true)
    setFailure(undefined)
    try {
      await confirm()
    } catch (error) {
      setFailure(describeAccountError(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <Dialog
      title={words.stepUpTitle}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{accountMessages.cancel}</Button>
          <Button type="submit" form={formId} tone="primary" isPending={isPending}>
            {kind === 'webauthn' ? words.askForKey : isSending ? words.sendCode : words.confirm}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <p className="text-muted">{words.stepUpLead}</p>
        {factors.length > 1 ? (
          <Select
            label={words.stepUpWith}
            value={factorId}
            options={factors.map((each) => ({ value: each.id, label: nameOfFactor(each) }))}
            onChange={(id) => {
              setFactorId(id)
              setChallengeId(undefined)
              setCode('')
              setFailure(undefined)
            }}
          />
        ) : null}
        {kind === 'webauthn' || isSending ? (
          <FailureText failure={failure} />
        ) : kind === 'recovery_code' ? (
          <TextField
            label={words.recoveryCode}
            name="recovery-code"
            autoComplete="off"
            spellCheck={false}
            isMono
            autoFocus
            value={code}
            onChange={setCode}
            description={words.recoveryCodeHelp}
            errorMessage={failure?.message}
          />
        ) : (
          <CodeField
            key={factorId}
            value={code}
            onChange={setCode}
            digits={kind === 'phone' ? config.account.codeDigits.phoneFactor : 6}
            description={kind === 'phone' ? words.codeFromPhone : words.codeFromApp(nameOfFactor(factor))}
            failure={failure}
          />
        )}
      </form>
    </Dialog>
  )
}
