import { type JSX, useState } from 'react'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { checkPassword } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { profileMessages as words } from '../../messages/account-profile.ts'
import { useAccount } from './account-context.tsx'
import { ActionButton } from './action-button.tsx'
import { FailureText } from './failure-text.tsx'
import { LinkProviders } from './link-providers.tsx'
import { Section } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { useAuthSettings } from './use-auth-settings.ts'
import { weakPasswordMessage } from './weak-password.ts'

/** Tells a guest why the account may be lost, and how to keep it. */
export function GuestSection(): JSX.Element {
  const { user } = useAccount()
  const { state } = useAuthSettings()
  const waitsFor = user?.new_email ?? ''
  return (
    <>
      <Notice tone="warning" title={words.guestTitle}>
        {words.guestDetail}
      </Notice>
      <Section title={words.guestFormTitle} description={words.guestFormLead}>
        {waitsFor === '' ? null : (
          <Notice title={words.confirmTitle} role="status">
            {words.guestWaits(waitsFor)}
          </Notice>
        )}
        <GuestForm />
        {state.kind === 'ready' && state.value.hasManualLinking && state.value.providers.length > 0 ? (
          <div className="flex flex-col gap-2 pt-2">
            <p className="text-muted">{words.guestLinkLead}</p>
            <LinkProviders providers={state.value.providers} returnTo="/account" />
          </div>
        ) : null}
      </Section>
    </>
  )
}

function GuestForm(): JSX.Element {
  const { config } = useBackend()
  const { supabase, reload } = useAccount()
  const action = useAction()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<{ readonly email?: string; readonly password?: string }>({})

  const submit = async (): Promise<void> => {
    const isWeak = checkPassword(password, config.account.password).some(({ isMet }) => !isMet)
    const wrong = {
      ...(email.includes('@') ? {} : { email: words.emailMissing }),
      ...(isWeak ? { password: password === '' ? passwordMessages.missing : passwordMessages.notEnough } : {}),
    }
    setProblem(wrong)
    if (Object.keys(wrong).length > 0) return
    await action.run(
      async () => {
        const { user } = unwrap(
          await supabase.auth.updateUser(
            { email: email.trim(), password },
            { emailRedirectTo: callbackUrl({ flow: 'email-change', redirect: '/account' }) },
          ),
        )
        // The token's claims still describe the user as a guest.
        if (user?.is_anonymous !== true) {
          unwrap(await supabase.auth.refreshSession())
          showToast({ text: words.guestDone })
        }
        await reload()
      },
      (error) => {
        const message = weakPasswordMessage(error)
        if (message !== undefined) setProblem({ password: message })
        return message !== undefined
      },
    )
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-4 rounded-lg border border-border bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!action.isPending) void submit()
      }}
    >
      <TextField
        label={words.email}
        type="email"
        name="email"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        value={email}
        onChange={setEmail}
        errorMessage={problem.email}
      />
      <NewPasswordField
        value={password}
        onChange={setPassword}
        rules={config.account.password}
        errorMessage={problem.password}
      />
      <FailureText failure={action.failure} />
      <div>
        <ActionButton type="submit" tone="primary" isPending={action.isPending}>
          {words.guestSubmit}
        </ActionButton>
      </div>
    </form>
  )
}
