import type { JSX, ReactNode } from 'react'
import type { EntryFormControl } from '../lib/auth/use-entry-form.ts'
import { FormFailure } from './form-failure.tsx'
import { SubmitButton } from './submit-button.tsx'

/** A sign-in form: fields, the last failure, and the submit button. */
export function EntryForm<Field extends string>({
  form,
  children,
  submitLabel,
  buttons = (
    <SubmitButton isOnline={form.isOnline} isPending={form.isPending} isDisabled={form.waitS > 0}>
      {submitLabel}
    </SubmitButton>
  ),
  failureActions,
  onSubmit = form.submit,
}: {
  readonly form: EntryFormControl<Field>
  /** The fields. */
  readonly children?: ReactNode
  readonly submitLabel?: string
  /** Replaces the submit button. */
  readonly buttons?: ReactNode
  readonly failureActions?: ReactNode
  /** Replaces sending. */
  readonly onSubmit?: () => void
}): JSX.Element {
  const { formRef, failure, waitS } = form
  return (
    <form
      ref={formRef}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      <FormFailure failure={failure} waitS={waitS} actions={failureActions} />
      {buttons}
    </form>
  )
}
