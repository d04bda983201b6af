import { isAuthRetryableFetchError } from '@supabase/supabase-js'
import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { parseIdentifier } from '../../lib/auth/identifier.ts'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import type { KnownAccount } from '../../lib/data/use-known-accounts.ts'
import { signInMessages as words } from '../../messages/sign-in.ts'

/** The password form. Allows paste and password managers, and shows problems on the field. */
export function PasswordForm({
  text,
  onTextChange,
  password: passwordAtStart,
  hasPhone,
  redirect,
  locked,
  onSignedIn,
}: {
  /** The identifier typed so far. */
  readonly text: string
  readonly onTextChange: (text: string) => void
  readonly password: string
  readonly hasPhone: boolean
  readonly redirect: string | undefined
  /** The account on this device that the password also opens without a connection. */
  readonly locked?: KnownAccount | undefined
  readonly onSignedIn: () => Promise<void>
}): JSX.Element {
  const { client } = useBackend()
  const [isKnown] = useState(text !== '')
  const [password, setPassword] = useState(passwordAtStart)
  const identifier = parseIdentifier(text)
  const form = useEntryForm<'username' | 'password'>({
    worksOffline: locked !== undefined,
    check() {
      if (text.trim() === '') {
        return { field: 'username', text: hasPhone ? words.identifierMissing : words.emailMissing }
      }
      return password === '' ? { field: 'password', text: words.passwordMissing } : undefined
    },
    async send() {
      const { error } = await client.supabase.auth.signInWithPassword({ ...identifier, password })
      if (error && !(locked && isAuthRetryableFetchError(error))) throw error
      // Without the server, the password still opens what is locked on this device.
      if (error && locked) await client.unlock({ id: locked.userId, email: locked.email }, password)
      await onSignedIn()
    },
    answer: (failure) =>
      failure.kind === 'password' || failure.kind === 'unconfirmed'
        ? { field: 'password', text: failure.message }
        : undefined,
  })

  return (
    <EntryForm form={form} submitLabel={form.isConnected ? words.submit : words.unlock}>
      <TextField
        label={hasPhone ? words.emailOrPhone : words.email}
        type={hasPhone ? 'text' : 'email'}
        name="username"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        value={text}
        onChange={onTextChange}
        autoFocus={!isKnown}
        errorMessage={form.problemOf('username')}
      />
      <PasswordField
        label={words.password}
        value={password}
        onChange={setPassword}
        autoFocus={isKnown}
        errorMessage={form.problemOf('password')}
      />
      {form.failure?.kind === 'unconfirmed' ? (
        <p>
          <TextLink
            to={'email' in identifier ? '/sign-up/confirm' : '/sign-in/code'}
            search={{ redirect, ...identifier }}
          >
            {words.enterCode}
          </TextLink>
        </p>
      ) : null}
    </EntryForm>
  )
}
