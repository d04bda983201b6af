import { type JSX, useRef, useState } from 'react'
import { FormFailure } from '../../components/form-failure.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { secondFactorMessages as words } from '../../messages/second-factor.ts'
import type { FactorFormProps } from './factor-form-props.ts'

/** One of the codes that somebody wrote down for the day on which their other factors are lost. */
export function RecoveryCodeFactor({ isOnline, onConfirmed }: FactorFormProps): JSX.Element {
  const { config, client } = useBackend()
  const [code, setCode] = useState('')
  const [isPending, setPending] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const field = useRef<HTMLInputElement>(null)

  const confirm = async (): Promise<void> => {
    setFailure(undefined)
    setMissing(code.trim() === '')
    if (code.trim() === '') {
      field.current?.focus()
      return
    }
    setPending(true)
    try {
      const { error } = await client.supabase.auth.mfa.recoveryCodes.verify({ code: code.trim() })
      if (error) throw error
      await onConfirmed()
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
      field.current?.focus()
    } finally {
      setPending(false)
    }
  }

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending && waitS === 0 && isOnline) void confirm()
      }}
    >
      <TextField
        label={words.recoveryLabel}
        name="recovery-code"
        autoComplete="off"
        spellCheck={false}
        isMono
        value={code}
        onChange={setCode}
        inputRef={field}
        autoFocus
        description={words.recoveryHelp}
        errorMessage={failure?.kind === 'code' ? words.recoveryWrong : isMissing ? words.recoveryMissing : undefined}
      />
      <FormFailure failure={failure} waitS={waitS} />
      <SubmitButton isOnline={isOnline} isPending={isPending} isDisabled={waitS > 0}>
        {words.recoverySubmit}
      </SubmitButton>
    </form>
  )
}
