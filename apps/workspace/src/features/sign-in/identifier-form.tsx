import { useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryForm } from '../../components/entry-form.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { FieldProblem } from '../../lib/auth/entry-form-state.ts'
import { type AddressProblem, findIdentifierProblem, parseIdentifier } from '../../lib/auth/identifier.ts'
import { type EntryFormControl, useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { errorMessages } from '../../messages/errors.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'
import { sendSignInCode } from './send-sign-in-code.ts'

/** Asks who the user is, then continues with a password or a code. */
export function IdentifierForm({
  text,
  onTextChange,
  redirect,
  hasEmail,
  hasPhone,
  hasPasskeys,
}: {
  /** The text typed so far. */
  readonly text: string
  readonly onTextChange: (text: string) => void
  readonly redirect: string | undefined
  readonly hasEmail: boolean
  readonly hasPhone: boolean
  /** The browser may offer passkeys as autofill. */
  readonly hasPasskeys: boolean
}): JSX.Element {
  const { client } = useBackend()
  const navigate = useNavigate()
  const identifier = parseIdentifier(text)
  const problemAs = (found: AddressProblem | undefined): FieldProblem<'username'> | undefined => {
    if (found === undefined) return undefined
    const missing = hasPhone ? words.identifierMissing : words.emailMissing
    return { field: 'username', text: found === 'missing' ? missing : words.emailIncomplete }
  }
  // Continuing to the password needs no server; the second button sends a code.
  const form = useEntryForm<'username'>({
    check: () => problemAs(findIdentifierProblem(text)),
    async send() {
      await sendSignInCode(client.supabase, identifier, redirect)
      await navigate({ to: '/sign-in/code', search: { redirect, ...identifier } })
    },
  })
  return (
    <EntryForm
      form={form}
      buttons={<Buttons form={form} codeLabel={hasPhone ? words.sendCode : words.emailCode} />}
      onSubmit={() => {
        // The password screen accepts any text; the server decides.
        if (form.report(problemAs(text.trim() === '' ? 'missing' : undefined))) {
          void navigate({ to: '/sign-in/password', search: { redirect, ...identifier } })
        }
      }}
    >
      <TextField
        label={hasEmail ? (hasPhone ? words.emailOrPhone : words.email) : words.phone}
        type={hasEmail && !hasPhone ? 'email' : hasEmail ? 'text' : 'tel'}
        name="username"
        autoComplete={hasPasskeys ? 'username webauthn' : 'username'}
        inputMode={hasEmail ? 'email' : 'tel'}
        spellCheck={false}
        value={text}
        onChange={(next) => {
          onTextChange(next)
          form.edited('username')
        }}
        autoFocus
        errorMessage={form.problemOf('username')}
      />
    </EntryForm>
  )
}

function Buttons({
  form,
  codeLabel,
}: {
  readonly form: EntryFormControl<'username'>
  readonly codeLabel: string
}): JSX.Element {
  return (
    <div className="flex flex-col gap-2">
      <Button type="submit" tone="primary" isFullWidth>
        {words.continueWithPassword}
      </Button>
      <Button
        isFullWidth
        isPending={form.isPending}
        isDisabled={form.waitS > 0}
        onPress={form.submit}
        {...(form.isOnline ? {} : { 'aria-disabled': true, 'aria-describedby': 'code-offline' })}
      >
        {codeLabel}
      </Button>
      {form.isOnline ? null : (
        <p id="code-offline" className="text-center text-small text-muted">
          {errorMessages.offline}
        </p>
      )}
    </div>
  )
}
