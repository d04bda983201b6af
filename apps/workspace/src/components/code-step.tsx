import { type JSX, type ReactNode, useRef, useState } from 'react'
import { useSecondsUntil } from '../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../lib/auth/classify-auth-error.ts'
import { codeMessages as words } from '../messages/code.ts'
import { Button } from './button.tsx'
import { CodeField } from './code-field.tsx'
import { FormFailure } from './form-failure.tsx'
import { SubmitButton } from './submit-button.tsx'

/** The form for a code from a mail, a message or an authenticator app. It goes off by itself with the last digit. */
export function CodeStep({
  digits,
  project,
  isOnline,
  nextSendAtMs,
  onVerify,
  onResend,
  label = words.label,
  submitLabel = words.submit,
  resendLabel = words.resend,
  failureActions,
  children,
}: {
  readonly digits: number
  readonly project: string
  readonly isOnline: boolean
  /** When another code may be asked for, in milliseconds since 1970. */
  readonly nextSendAtMs?: number | undefined
  /** @throws what the auth client answers */
  readonly onVerify: (code: string) => Promise<void>
  /** Absent where nothing is sent. @throws what the auth client answers */
  readonly onResend?: () => Promise<void>
  readonly label?: string
  readonly submitLabel?: string
  readonly resendLabel?: string
  readonly failureActions?: (failure: AuthFailure) => ReactNode
  /** Between the field and the button. */
  readonly children?: ReactNode
}): JSX.Element {
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState<'verify' | 'resend'>()
  const [failure, setFailure] = useState<AuthFailure>()
  const [missing, setMissing] = useState(false)
  const [isSent, setSent] = useState(false)
  const [ownNextAtMs, setOwnNextAtMs] = useState<number>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const field = useRef<HTMLInputElement>(null)
  const resendWaitS = useSecondsUntil(ownNextAtMs ?? nextSendAtMs)
  const waitS = useSecondsUntil(retryAtMs)

  const run = async (what: 'verify' | 'resend', body: () => Promise<void>): Promise<void> => {
    setBusy(what)
    setFailure(undefined)
    setSent(false)
    try {
      await body()
    } catch (error) {
      const why = classifyAuthError(error, project)
      setFailure(why)
      if (why.kind === 'rate') {
        const untilMs = Date.now() + why.waitS * 1_000
        if (what === 'resend') setOwnNextAtMs(untilMs)
        else setRetryAtMs(untilMs)
      }
      if (what === 'verify') {
        setCode('')
        field.current?.focus()
      }
    } finally {
      setBusy(undefined)
    }
  }
  const verify = (given: string): void => {
    setMissing(given.length < digits)
    if (given.length === digits && busy === undefined && isOnline && waitS === 0) {
      void run('verify', () => onVerify(given))
    } else {
      field.current?.focus()
    }
  }

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        verify(code)
      }}
    >
      <div className="flex flex-col">
        <CodeField
          label={label}
          digits={digits}
          value={code}
          autoFocus
          inputRef={field}
          isBusy={busy === 'verify'}
          errorMessage={failure?.kind === 'code' ? failure.message : missing ? words.missing(digits) : undefined}
          onChange={(next) => {
            setCode(next)
            setMissing(false)
            if (failure?.kind === 'code') setFailure(undefined)
            if (next.length === digits && next !== code) verify(next)
          }}
        />
        {children}
      </div>
      <FormFailure failure={failure} waitS={waitS} actions={failure && failureActions?.(failure)} />
      <SubmitButton isOnline={isOnline} isPending={busy === 'verify'} isDisabled={waitS > 0}>
        {submitLabel}
      </SubmitButton>
      {onResend === undefined ? null : (
        <div className="flex flex-wrap items-center justify-center gap-x-2 text-small text-muted">
          <span role="status">{isSent ? words.sent : words.notArrived}</span>
          <Button
            size="sm"
            tone="quiet"
            isPending={busy === 'resend'}
            isDisabled={resendWaitS > 0 || !isOnline}
            className="tabular-nums"
            onPress={() => {
              void run('resend', async () => {
                await onResend()
                setOwnNextAtMs(undefined)
                setSent(true)
              })
            }}
          >
            {resendWaitS > 0 ? words.resendIn(resendWaitS) : resendLabel}
          </Button>
        </div>
      )}
    </form>
  )
}
