import { useNavigate } from '@tanstack/react-router'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { type Identifier, parseIdentifier } from '../../lib/auth/identifier.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { errorMessages } from '../../messages/errors.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'
import { sendSignInCode } from './send-sign-in-code.ts'

/** Who somebody is, first; then by password or by code. */
export function IdentifierForm({
  text,
  onTextChange,
  redirect,
  hasEmail,
  hasPhone,
  hasPasskeys,
  isOnline,
}: {
  /** What is typed so far. */
  readonly text: string
  readonly onTextChange: (text: string) => void
  readonly redirect: string | undefined
  readonly hasEmail: boolean
  readonly hasPhone: boolean
  /** The browser may offer passkeys in the field's list. */
  readonly hasPasskeys: boolean
  readonly isOnline: boolean
}): JSX.Element {
  const { config, client } = useBackend()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  const [failure, setFailure] = useState<AuthFailure>()
  const [isSending, setSending] = useState(false)
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const field = useRef<HTMLInputElement>(null)
  const label = hasEmail ? (hasPhone ? words.emailOrPhone : words.email) : words.phone

  /** `undefined` when it cannot be one; the field says why then. */
  const read = (needsWhole: boolean): Identifier | undefined => {
    const identifier = parseIdentifier(text)
    const isEmpty = text.trim() === ''
    const isHalf = needsWhole && 'email' in identifier && !/^\S+@\S+$/.test(identifier.email)
    const found = isEmpty
      ? hasPhone
        ? words.identifierMissing
        : words.emailMissing
      : isHalf
        ? words.emailIncomplete
        : undefined
    setProblem(found)
    if (found === undefined) return identifier
    field.current?.focus()
    return undefined
  }

  const sendCode = async (): Promise<void> => {
    setFailure(undefined)
    const identifier = read(true)
    if (!identifier) return
    setSending(true)
    try {
      await sendSignInCode(client.supabase, identifier, redirect)
      await navigate({ to: '/sign-in/code', search: { redirect, ...identifier } })
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
    } finally {
      setSending(false)
    }
  }

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const identifier = read(false)
        if (identifier) void navigate({ to: '/sign-in/password', search: { redirect, ...identifier } })
      }}
    >
      <TextField
        label={label}
        type={hasEmail && !hasPhone ? 'email' : hasEmail ? 'text' : 'tel'}
        name="username"
        autoComplete={hasPasskeys ? 'username webauthn' : 'username'}
        inputMode={hasEmail ? 'email' : 'tel'}
        spellCheck={false}
        value={text}
        onChange={(next) => {
          onTextChange(next)
          setProblem(undefined)
        }}
        inputRef={field}
        autoFocus
        errorMessage={problem}
      />
      <FormFailure failure={failure} waitS={waitS} />
      <div className="flex flex-col gap-2">
        <Button type="submit" tone="primary" isFullWidth>
          {words.continueWithPassword}
        </Button>
        <Button
          isFullWidth
          isPending={isSending}
          isDisabled={waitS > 0}
          onPress={() => {
            if (isOnline) void sendCode()
          }}
          {...(isOnline ? {} : { 'aria-disabled': true, 'aria-describedby': 'code-offline' })}
        >
          {hasPhone ? words.sendCode : words.emailCode}
        </Button>
        {isOnline ? null : (
          <p id="code-offline" className="text-center text-small text-muted">
            {errorMessages.offline}
          </p>
        )}
      </div>
    </form>
  )
}
