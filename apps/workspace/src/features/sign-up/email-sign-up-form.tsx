import { type JSX, useRef, useState } from 'react'
import { FormFailure } from '../../components/form-failure.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { LinkButton } from '../../components/link.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { checkPassword } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { signUpMessages as words } from '../../messages/sign-up.ts'

type Field = 'email' | 'password'

/** An account with an e-mail and a password. */
export function EmailSignUpForm({
  email: emailAtStart,
  redirect,
  isOnline,
  onSignedIn,
  onUnconfirmed,
}: {
  readonly email: string
  readonly redirect: string | undefined
  readonly isOnline: boolean
  readonly onSignedIn: () => Promise<void>
  /** A mail is on its way; also for an address that has an account, so that nobody learns which have. */
  readonly onUnconfirmed: (email: string) => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const rules = config.account.password
  const [name, setName] = useState('')
  const [email, setEmail] = useState(emailAtStart)
  const [password, setPassword] = useState('')
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<{ readonly field: Field; readonly text: string }>()
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const emailRef = useRef<HTMLInputElement>(null)
  const passwordRef = useRef<HTMLInputElement>(null)

  const findProblem = (): typeof problem => {
    if (email.trim() === '') return { field: 'email', text: words.emailMissing }
    if (!/^\S+@\S+$/.test(email.trim())) return { field: 'email', text: words.emailIncomplete }
    if (password === '') return { field: 'password', text: passwordMessages.missing }
    const isWeak = checkPassword(password, rules).some(({ isMet }) => !isMet)
    return isWeak ? { field: 'password', text: passwordMessages.notEnough } : undefined
  }

  const submit = async (): Promise<void> => {
    setFailure(undefined)
    const found = findProblem()
    setProblem(found)
    if (found) {
      ;(found.field === 'email' ? emailRef : passwordRef).current?.focus()
      return
    }
    setPending(true)
    try {
      const address = email.trim()
      const { data, error } = await client.supabase.auth.signUp({
        email: address,
        password,
        options: {
          emailRedirectTo: callbackUrl({ flow: 'sign-up', redirect }),
          ...(name.trim() === '' ? {} : { data: { name: name.trim() } }),
        },
      })
      if (error) throw error
      if (data.session) return await onSignedIn()
      noteSent('sign-up', { email: address })
      await onUnconfirmed(address)
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
      if (why.kind === 'new_password') {
        setProblem({ field: 'password', text: passwordMessages[why.reason] })
        passwordRef.current?.focus()
      }
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
        label={words.name}
        name="name"
        autoComplete="name"
        value={name}
        onChange={setName}
        maxLength={200}
        autoFocus
        description={words.nameHelp}
      />
      <TextField
        label={words.email}
        type="email"
        name="username"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        value={email}
        onChange={setEmail}
        inputRef={emailRef}
        errorMessage={problem?.field === 'email' ? problem.text : undefined}
      />
      <NewPasswordField
        label={words.password}
        value={password}
        onChange={setPassword}
        rules={rules}
        inputRef={passwordRef}
        errorMessage={problem?.field === 'password' ? problem.text : undefined}
      />
      <FormFailure
        failure={failure}
        waitS={waitS}
        actions={
          failure?.code === 'HF-AUTH-EXISTS' ? (
            <LinkButton size="sm" to="/sign-in/password" search={{ redirect, email: email.trim() }}>
              {words.signIn}
            </LinkButton>
          ) : undefined
        }
      />
      <SubmitButton isOnline={isOnline} isPending={isPending} isDisabled={waitS > 0}>
        {words.submit}
      </SubmitButton>
    </form>
  )
}
