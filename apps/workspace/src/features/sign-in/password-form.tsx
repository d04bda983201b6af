import type { HoldfastClient } from '@holdfast/client'
import { Eye, EyeOff } from 'lucide-react'
import { type JSX, useEffect, useRef, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { errorMessages } from '../../messages/errors.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'
import {
  classifyAuthError as classifySignInError,
  type AuthFailure as SignInFailure,
} from '../../lib/auth/classify-auth-error.ts'

/** The form; it asks nothing twice, allows paste and password managers, and says on the field what is wrong. */
export function PasswordForm({
  email: emailAtStart,
  password: passwordAtStart,
  isOnline,
  onSignedIn,
  supabase,
  projectName,
}: {
  readonly email: string
  readonly password: string
  readonly isOnline: boolean
  readonly onSignedIn: () => Promise<void>
  readonly supabase: HoldfastClient['supabase']
  readonly projectName: string
}): JSX.Element {
  const [email, setEmail] = useState(emailAtStart)
  const [password, setPassword] = useState(passwordAtStart)
  const [isShown, setShown] = useState(false)
  const [isPending, setPending] = useState(false)
  const [missing, setMissing] = useState<'email' | 'password'>()
  const [failure, setFailure] = useState<SignInFailure>()
  const emailRef = useRef<HTMLInputElement>(null)
  const passwordRef = useRef<HTMLInputElement>(null)
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)

  const submit = async (): Promise<void> => {
    setFailure(undefined)
    const lacks = email.trim() === '' ? 'email' : password === '' ? 'password' : undefined
    setMissing(lacks)
    if (lacks !== undefined) {
      ;(lacks === 'email' ? emailRef : passwordRef).current?.focus()
      return
    }
    setPending(true)
    try {
      const { error } = await supabase.auth.signInWithPassword({ email: email.trim(), password })
      if (error) throw error
      await onSignedIn()
    } catch (error) {
      const what = classifySignInError(error, projectName)
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
        label={words.email}
        type="email"
        name="email"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        value={email}
        onChange={setEmail}
        inputRef={emailRef}
        autoFocus={emailAtStart === ''}
        errorMessage={missing === 'email' ? words.emailMissing : undefined}
      />
      <TextField
        label={words.password}
        type={isShown ? 'text' : 'password'}
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        inputRef={passwordRef}
        errorMessage={missing === 'password' ? words.passwordMissing : passwordError(failure)}
        trailing={
          // Not an IconButton: its tooltip would be the only one on this screen, and is not small.
          <AriaButton
            aria-label={isShown ? words.hidePassword : words.showPassword}
            onPress={() => setShown(!isShown)}
            className="flex size-8 items-center justify-center rounded-md text-muted data-hovered:bg-hover data-hovered:text-text coarse:size-11"
          >
            {isShown ? <EyeOff size={18} aria-hidden /> : <Eye size={18} aria-hidden />}
          </AriaButton>
        }
      />
      {failure?.kind === 'form' ? (
        <ErrorNotice
          error={{
            code: failure.code,
            title: failure.message,
            ...(failure.technical === undefined ? {} : { technical: failure.technical }),
          }}
        />
      ) : null}
      {failure?.kind === 'unconfirmed' ? <SendConfirmationAgain supabase={supabase} email={email.trim()} /> : null}
      {failure?.kind === 'rate' && waitS > 0 ? (
        <p role="status" className="text-small text-danger">
          {errorMessages.rate(waitS)}
        </p>
      ) : null}
      <Button
        type="submit"
        tone="primary"
        isFullWidth
        isPending={isPending}
        isDisabled={waitS > 0}
        {...(isOnline ? {} : { 'aria-disabled': true, 'aria-describedby': 'sign-in-offline' })}
      >
        {words.submit}
      </Button>
      {isOnline ? null : (
        <p id="sign-in-offline" className="text-center text-small text-muted">
          {errorMessages.offline}
        </p>
      )}
    </form>
  )
}

function passwordError(failure: SignInFailure | undefined): string | undefined {
  return failure?.kind === 'password' || failure?.kind === 'unconfirmed' ? failure.message : undefined
}

function SendConfirmationAgain({
  supabase,
  email,
}: {
  readonly supabase: HoldfastClient['supabase']
  readonly email: string
}): JSX.Element {
  const [state, setState] = useState<'idle' | 'sending' | 'sent' | Error>('idle')
  if (state instanceof Error) return <ErrorNotice error={state} />
  if (state === 'sent') {
    return (
      <p role="status" className="text-small text-success">
        {errorMessages.mailSentAgain}
      </p>
    )
  }
  return (
    <Button
      size="sm"
      isPending={state === 'sending'}
      onPress={() => {
        setState('sending')
        void supabase.auth.resend({ type: 'signup', email }).then(({ error }) => setState(error ?? 'sent'))
      }}
    >
      {errorMessages.sendMailAgain}
    </Button>
  )
}

/** Whole seconds until `deadlineMs` (milliseconds since 1970), counted down; 0 without one. */
function useSecondsUntil(deadlineMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  // A clock is a subscription.
  useEffect(() => {
    if (deadlineMs === undefined) return
    const timer = setInterval(() => {
      setNowMs(Date.now())
      if (Date.now() >= deadlineMs) clearInterval(timer)
    }, 500)
    return () => clearInterval(timer)
  }, [deadlineMs])
  return deadlineMs === undefined ? 0 : Math.max(0, Math.ceil((deadlineMs - nowMs) / 1000))
}
