import { type JSX, useRef, useState } from 'react'
import { FormFailure } from '../../components/form-failure.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { parseIdentifier } from '../../lib/auth/identifier.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** The form; it asks nothing twice, allows paste and password managers, and says on the field what is wrong. */
export function PasswordForm({
  text,
  onTextChange,
  password: passwordAtStart,
  hasPhone,
  redirect,
  isOnline,
  onSignedIn,
}: {
  /** Who signs in: what is typed so far. */
  readonly text: string
  readonly onTextChange: (text: string) => void
  readonly password: string
  readonly hasPhone: boolean
  readonly redirect: string | undefined
  readonly isOnline: boolean
  readonly onSignedIn: () => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const [isKnown] = useState(text !== '')
  const [password, setPassword] = useState(passwordAtStart)
  const [isPending, setPending] = useState(false)
  const [missing, setMissing] = useState<'identifier' | 'password'>()
  const [failure, setFailure] = useState<AuthFailure>()
  const identifierRef = useRef<HTMLInputElement>(null)
  const passwordRef = useRef<HTMLInputElement>(null)
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const identifier = parseIdentifier(text)

  const submit = async (): Promise<void> => {
    setFailure(undefined)
    const lacks = text.trim() === '' ? 'identifier' : password === '' ? 'password' : undefined
    setMissing(lacks)
    if (lacks !== undefined) {
      ;(lacks === 'identifier' ? identifierRef : passwordRef).current?.focus()
      return
    }
    setPending(true)
    try {
      const { error } = await client.supabase.auth.signInWithPassword({ ...identifier, password })
      if (error) throw error
      await onSignedIn()
    } catch (error) {
      const what = classifyAuthError(error, config.project.name)
      setFailure(what)
      if (what.kind === 'rate') setRetryAtMs(Date.now() + what.waitS * 1000)
      if (what.kind === 'password') passwordRef.current?.focus()
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
        label={hasPhone ? words.emailOrPhone : words.email}
        type={hasPhone ? 'text' : 'email'}
        name="username"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        value={text}
        onChange={onTextChange}
        inputRef={identifierRef}
        autoFocus={!isKnown}
        errorMessage={missing === 'identifier' ? (hasPhone ? words.identifierMissing : words.emailMissing) : undefined}
      />
      <PasswordField
        label={words.password}
        value={password}
        onChange={setPassword}
        inputRef={passwordRef}
        autoFocus={isKnown}
        errorMessage={
          missing === 'password'
            ? words.passwordMissing
            : failure?.kind === 'password' || failure?.kind === 'unconfirmed'
              ? failure.message
              : undefined
        }
      />
      {failure?.kind === 'unconfirmed' ? (
        <p>
          <TextLink
            to={'email' in identifier ? '/sign-up/confirm' : '/sign-in/code'}
            search={{ redirect, ...identifier }}
          >
            {words.enterCode}
          </TextLink>
        </p>
      ) : null}
      <FormFailure failure={failure} waitS={waitS} />
      <SubmitButton isOnline={isOnline} isPending={isPending} isDisabled={waitS > 0}>
        {words.submit}
      </SubmitButton>
    </form>
  )
}
