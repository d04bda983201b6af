import { isAuthError } from '@supabase/supabase-js'
import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { findNewPasswordProblem } from '../../lib/password-rules.ts'
import { invitationMessages as words } from '../../messages/invitation.ts'
import { passwordMessages } from '../../messages/password.ts'
import { signUpMessages } from '../../messages/sign-up.ts'
import { answerInvitation, joinByInvitation, type Outcome } from './invitation-calls.ts'

/** The server's limit for names, in characters. */
const NAME_CHARS_MAX = 60

/** Errors that mean the invitation has changed, so it is read again. */
const CHANGED = new Set(['account_exists', 'invitation_over', 'invitation_not_found'])

/**
 * Creates an account for the invited address: the mail has verified it. For an invite link the user enters an address, which a server without mail takes
 * unverified.
 */
export function JoinForm({
  secret,
  email: invited,
  onOutcome,
  onChanged,
}: {
  readonly secret: string
  /** `undefined` for an invite link. */
  readonly email: string | undefined
  readonly onOutcome: (outcome: Outcome) => void
  readonly onChanged: () => Promise<void>
}): JSX.Element {
  const backend = useBackend()
  const rules = backend.config.account.password
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [typed, setTyped] = useState('')
  const email = invited ?? typed.trim()
  const form = useEntryForm<'name' | 'email' | 'new-password'>({
    check() {
      if (email === '') return { field: 'email', text: words.emailMissing }
      if (name.trim() === '') return { field: 'name', text: words.nameMissing }
      const found = findNewPasswordProblem(password, rules)
      return found && { field: 'new-password', text: passwordMessages[found] }
    },
    async send() {
      try {
        await joinByInvitation({ secret, name: name.trim(), password, ...(invited === undefined && { email }) })
      } catch (error) {
        // If rereading fails, the form shows the error.
        if (isAuthError(error) && CHANGED.has(String(error.code))) return await onChanged()
        throw error
      }
      const { error } = await backend.client.supabase.auth.signInWithPassword({ email, password })
      if (error) throw error
      onOutcome(await answerInvitation(backend, secret, true))
    },
    answer: (failure) =>
      failure.kind === 'new_password' ? { field: 'new-password', text: passwordMessages[failure.reason] } : undefined,
  })
  return (
    <EntryForm form={form} submitLabel={words.join}>
      {invited === undefined ? (
        <TextField
          label={words.email}
          type="email"
          name="email"
          autoComplete="username"
          value={typed}
          onChange={setTyped}
          errorMessage={form.problemOf('email')}
        />
      ) : (
        <>
          <p className="text-small text-muted">{words.forAddress(invited)}</p>
          <input type="email" name="username" autoComplete="username" value={invited} readOnly hidden />
        </>
      )}
      <TextField
        label={signUpMessages.name}
        name="name"
        autoComplete="name"
        value={name}
        onChange={setName}
        maxLength={NAME_CHARS_MAX}
        description={signUpMessages.nameHelp}
        errorMessage={form.problemOf('name')}
      />
      <NewPasswordField
        label={signUpMessages.password}
        value={password}
        onChange={setPassword}
        rules={rules}
        errorMessage={form.problemOf('new-password')}
      />
    </EntryForm>
  )
}
