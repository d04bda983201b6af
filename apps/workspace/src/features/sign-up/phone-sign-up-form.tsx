import { type JSX, useRef, useState } from 'react'
import { FormFailure } from '../../components/form-failure.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { parseIdentifier } from '../../lib/auth/identifier.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signUpMessages as words } from '../../messages/sign-up.ts'

/** An account with a phone number and no password; the code that is sent confirms it. */
export function PhoneSignUpForm({
  isOnline,
  onSent,
}: {
  readonly isOnline: boolean
  readonly onSent: (phone: string) => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const [text, setText] = useState('')
  const [isPending, setPending] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const field = useRef<HTMLInputElement>(null)

  const submit = async (): Promise<void> => {
    setFailure(undefined)
    const identifier = parseIdentifier(text)
    setMissing(!('phone' in identifier))
    if (!('phone' in identifier)) {
      field.current?.focus()
      return
    }
    setPending(true)
    try {
      const { error } = await client.supabase.auth.signInWithOtp({ ...identifier, options: { shouldCreateUser: true } })
      if (error) throw error
      noteSent('sign-in', identifier)
      await onSent(identifier.phone)
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
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
        if (!isPending && waitS === 0 && isOnline) void submit()
      }}
    >
      <TextField
        label={words.phone}
        type="tel"
        name="tel"
        autoComplete="tel"
        inputMode="tel"
        value={text}
        onChange={setText}
        inputRef={field}
        autoFocus
        description={words.phoneHelp}
        errorMessage={isMissing ? words.phoneMissing : undefined}
      />
      <FormFailure failure={failure} waitS={waitS} />
      <SubmitButton isOnline={isOnline} isPending={isPending} isDisabled={waitS > 0}>
        {words.sendCode}
      </SubmitButton>
    </form>
  )
}
