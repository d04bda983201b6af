import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { LinkButton } from '../../components/link.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { UsernameEmailField } from '../../components/username-email-field.tsx'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { findEmailProblem } from '../../lib/auth/identifier.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { findNewPasswordProblem } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { signUpMessages as words } from '../../messages/sign-up.ts'

/** Creates an account with e-mail and password. */
export function EmailSignUpForm({
  email: emailAtStart,
  redirect,
  onSignedIn,
  onUnconfirmed,
}: {
  readonly email: string
  readonly redirect: string | undefined
  readonly onSignedIn: () => Promise<void>
  /** A mail was sent. Also called for an existing account, so that the answer does not reveal which addresses have one. */
  readonly onUnconfirmed: (email: string) => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const rules = config.account.password
  const [name, setName] = useState('')
  const [email, setEmail] = useState(emailAtStart)
  const [password, setPassword] = useState('')
  const form = useEntryForm<'username' | 'new-password'>({
    check() {
      const address = findEmailProblem(email)
      if (address) {
        return { field: 'username', text: address === 'missing' ? words.emailMissing : words.emailIncomplete }
      }
      const found = findNewPasswordProblem(password, rules)
      return found && { field: 'new-password', text: passwordMessages[found] }
    },
    async send() {
      const address = email.trim()
      const { data, error } = await client.supabase.auth.signUp({
        email: address,
        password,
        options: { emailRedirectTo: callbackUrl({ flow: 'sign-up', redirect }), ...namedAs(name.trim()) },
      })
      if (error) throw error
      if (data.session) return await onSignedIn()
      noteSent('sign-up', { email: address })
      await onUnconfirmed(address)
    },
    answer: (failure) =>
      failure.kind === 'new_password' ? { field: 'new-password', text: passwordMessages[failure.reason] } : undefined,
  })

  return (
    <EntryForm
      form={form}
      submitLabel={words.submit}
      failureActions={
        form.failure?.code === 'HF-AUTH-EXISTS' ? (
          <LinkButton size="sm" to="/sign-in/password" search={{ redirect, email: email.trim() }}>
            {words.signIn}
          </LinkButton>
        ) : undefined
      }
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
      <UsernameEmailField
        label={words.email}
        value={email}
        onChange={setEmail}
        errorMessage={form.problemOf('username')}
      />
      <NewPasswordField
        label={words.password}
        value={password}
        onChange={setPassword}
        rules={rules}
        errorMessage={form.problemOf('new-password')}
      />
    </EntryForm>
  )
}

function namedAs(name: string): { readonly data?: { readonly name: string } } {
  return name === '' ? {} : { data: { name } }
}
