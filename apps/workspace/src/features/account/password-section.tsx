import type { User } from '@supabase/supabase-js'
import { type JSX, useRef } from 'react'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { ActionButton } from './action-button.tsx'
import { CodeField } from './code-field.tsx'
import { FailureText } from './failure-text.tsx'
import { NoRows, Section } from '../../components/section.tsx'
import { usePasswordChange } from './use-password-change.ts'

/** Sets a password. If the last sign-in was a while ago, the server sends a code that must accompany the password. */
export function PasswordSection({ user }: { readonly user: User }): JSX.Element {
  return (
    <Section title={words.passwordTitle} description={words.passwordLead}>
      {user.is_anonymous === true ? <NoRows>{words.passwordGuest}</NoRows> : <PasswordForm user={user} />}
    </Section>
  )
}

function PasswordForm({ user }: { readonly user: User }): JSX.Element {
  const { config } = useBackend()
  const field = useRef<HTMLInputElement>(null)
  const change = usePasswordChange(() => field.current?.focus())
  const { password, current, code } = change.state
  return (
    <form
      noValidate
      className="flex flex-col gap-4 rounded-lg border border-border bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault()
        change.submit()
      }}
    >
      {/* Tells password managers whose password it is. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={user.email ?? user.phone ?? ''}
        readOnly
        hidden
      />
      {current === undefined ? null : (
        <PasswordField
          label={words.currentPassword}
          autoFocus
          value={current.text}
          onChange={(text) => change.dispatch({ kind: 'typed_current', text })}
          errorMessage={current.problem}
        />
      )}
      <NewPasswordField
        inputRef={field}
        value={password.text}
        onChange={(text) => change.dispatch({ kind: 'typed_password', text })}
        rules={config.account.password}
        errorMessage={password.problem}
      />
      {code === undefined ? null : (
        <CodeField
          value={code.text}
          digits={config.account.codeDigits.email}
          onChange={(text) => change.dispatch({ kind: 'typed_code', text })}
          description={words.reauthLead(user.email || `+${user.phone ?? ''}`)}
          failure={code.isMissing ? { code: 'HF-CODE-MISSING', message: words.reauthMissing } : change.codeFailure}
        />
      )}
      <FailureText failure={change.failure} />
      <div className="flex flex-wrap gap-2">
        <ActionButton type="submit" isPending={change.isPending}>
          {words.setPassword}
        </ActionButton>
        {code === undefined ? null : (
          <ActionButton tone="quiet" isPending={change.isSendingCode} onPress={change.sendCode}>
            {accountMessages.codeAgain}
          </ActionButton>
        )}
      </div>
    </form>
  )
}
