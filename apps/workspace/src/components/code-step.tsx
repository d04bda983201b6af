import type { JSX, ReactNode } from 'react'
import { type CodeStepControl, type CodeStepOptions, useCodeStep } from '../lib/auth/use-code-step.ts'
import { codeMessages as words } from '../messages/code.ts'
import { Button } from './button.tsx'
import { CodeField } from './code-field.tsx'
import { FormFailure } from './form-failure.tsx'
import { SubmitButton } from './submit-button.tsx'

/** A form for a code from a mail, message or authenticator app. The last digit submits. */
export function CodeStep({
  label = words.label,
  submitLabel = words.submit,
  resendLabel = words.resend,
  children,
  ...options
}: CodeStepOptions & {
  readonly label?: string
  readonly submitLabel?: string
  readonly resendLabel?: string
  /** Between field and button. */
  readonly children?: ReactNode
}): JSX.Element {
  const { digits, isOnline, onResend } = options
  const step = useCodeStep(options)
  const { code, phase, failure, isIncomplete } = step.state
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        step.submit()
      }}
    >
      <div className="flex flex-col">
        <CodeField
          label={label}
          digits={digits}
          value={code}
          autoFocus
          inputRef={step.inputRef}
          isBusy={phase === 'verifying'}
          errorMessage={failure?.kind === 'code' ? failure.message : isIncomplete ? words.missing(digits) : undefined}
          onChange={step.type}
        />
        {children}
      </div>
      <FormFailure failure={failure} waitS={step.waitS} />
      <SubmitButton isOnline={isOnline} isPending={phase === 'verifying'} isDisabled={step.waitS > 0}>
        {submitLabel}
      </SubmitButton>
      {onResend === undefined ? null : <Resend step={step} isOnline={isOnline} label={resendLabel} />}
    </form>
  )
}

function Resend({
  step,
  isOnline,
  label,
}: {
  readonly step: CodeStepControl
  readonly isOnline: boolean
  readonly label: string
}): JSX.Element {
  const { resendWaitS, state } = step
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-2 text-small text-muted">
      <span role="status">{state.isResent ? words.sent : words.notArrived}</span>
      <Button
        size="sm"
        tone="quiet"
        isPending={state.phase === 'resending'}
        isDisabled={resendWaitS > 0 || !isOnline}
        className="tabular-nums"
        onPress={step.resend}
      >
        {resendWaitS > 0 ? words.resendIn(resendWaitS) : label}
      </Button>
    </div>
  )
}
