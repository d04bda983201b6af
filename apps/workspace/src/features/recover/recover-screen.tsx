import { useNavigate, useSearch } from '@tanstack/react-router'
import { type JSX, useRef, useState } from 'react'
import { EntryPage } from '../../components/entry-page.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { recoverMessages as words } from '../../messages/recover.ts'
import { sendRecoveryMail } from './send-recovery-mail.ts'

/** Asks for a mail that leads to a new password. It says the same whether there is an account or not. */
export function RecoverScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { email: emailAtStart = '' } = useSearch({ strict: false })
  const isOnline = useOnline()
  const navigate = useNavigate()
  const [email, setEmail] = useState(emailAtStart)
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const field = useRef<HTMLInputElement>(null)

  const submit = async (): Promise<void> => {
    setFailure(undefined)
    const address = email.trim()
    const found = address === '' ? words.emailMissing : /^\S+@\S+$/.test(address) ? undefined : words.emailIncomplete
    setProblem(found)
    if (found !== undefined) {
      field.current?.focus()
      return
    }
    setPending(true)
    try {
      await sendRecoveryMail(client.supabase, address)
      await navigate({ to: '/recover/code', search: { email: address } })
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
    } finally {
      setPending(false)
    }
  }

  return (
    <EntryPage
      project={config.project.name}
      title={words.title}
      lead={words.detail}
      offline={isOnline ? undefined : words.offline}
    >
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
          name="username"
          autoComplete="username"
          inputMode="email"
          spellCheck={false}
          value={email}
          onChange={setEmail}
          inputRef={field}
          autoFocus
          errorMessage={problem}
        />
        <FormFailure failure={failure} waitS={waitS} />
        <SubmitButton isOnline={isOnline} isPending={isPending} isDisabled={waitS > 0}>
          {words.submit}
        </SubmitButton>
      </form>
      <p className="text-small">
        <TextLink to="/sign-in" search={{ email: email.trim() === '' ? undefined : email.trim() }}>
          {words.back}
        </TextLink>
      </p>
    </EntryPage>
  )
}
