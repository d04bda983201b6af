import { useNavigate } from '@tanstack/react-router'
import { useValue } from '@holdfast/react'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { FormFailure } from '../../components/form-failure.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { showToast } from '../../components/toast.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useSecondsUntil } from '../../hooks/use-seconds-until.ts'
import { type AuthFailure, classifyAuthError } from '../../lib/auth/classify-auth-error.ts'
import { clearPendingPassword, usePendingPassword } from '../../lib/auth/pending-password.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { checkPassword } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { recoverMessages as words } from '../../messages/recover.ts'

/** Somebody who was let in by a mail chooses a password. Until then, or until they give up, the account leads here. */
export function NewPasswordScreen(): JSX.Element {
  const { config, client } = useBackend()
  const session = useValue(client.session)
  const isInvite = usePendingPassword(({ pending }) => pending?.reason === 'invite')
  const rules = config.account.password
  const isOnline = useOnline()
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState<'save' | 'cancel'>()
  const [failure, setFailure] = useState<AuthFailure>()
  const [retryAtMs, setRetryAtMs] = useState<number>()
  const waitS = useSecondsUntil(retryAtMs)
  const field = useRef<HTMLInputElement>(null)
  const email = 'user' in session ? (session.user.email ?? '') : ''

  const complain = (text: string): void => {
    setProblem(text)
    field.current?.focus()
  }
  const save = async (): Promise<void> => {
    setFailure(undefined)
    setProblem(undefined)
    if (password === '') return complain(passwordMessages.missing)
    if (checkPassword(password, rules).some(({ isMet }) => !isMet)) return complain(passwordMessages.notEnough)
    setBusy('save')
    try {
      const { error } = await client.supabase.auth.updateUser({ password })
      if (error) throw error
      clearPendingPassword()
      showToast({ text: words.saved })
      await navigate({ to: '/w', replace: true })
    } catch (error) {
      const why = classifyAuthError(error, config.project.name)
      if (why.kind === 'second_factor') {
        await navigate({ to: '/sign-in/second-factor', search: { redirect: '/recover/new-password' } })
        return
      }
      setFailure(why)
      if (why.kind === 'rate') setRetryAtMs(Date.now() + why.waitS * 1_000)
      if (why.kind === 'new_password') complain(passwordMessages[why.reason])
    } finally {
      setBusy(undefined)
    }
  }
  const giveUp = async (): Promise<void> => {
    setBusy('cancel')
    clearPendingPassword()
    if (isInvite) {
      await navigate({ to: '/w', replace: true })
      return
    }
    // What somebody has on this device stays; only the session that the mail gave ends.
    await client.signOut('keep')
    await navigate({ to: '/sign-in', replace: true })
  }

  return (
    <EntryPage
      project={config.project.name}
      title={isInvite ? words.inviteTitle : words.newTitle}
      lead={isInvite ? words.inviteDetail(email) : words.newDetail(email)}
      offline={isOnline ? undefined : words.offline}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (busy === undefined && waitS === 0 && isOnline) void save()
        }}
      >
        {/* Password managers file the new one under this name. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordField
          value={password}
          onChange={setPassword}
          rules={rules}
          autoFocus
          inputRef={field}
          errorMessage={problem}
        />
        <FormFailure failure={failure} waitS={waitS} />
        <div className="flex flex-col gap-2">
          <SubmitButton isOnline={isOnline} isPending={busy === 'save'} isDisabled={waitS > 0}>
            {words.save}
          </SubmitButton>
          <Button
            tone="quiet"
            isFullWidth
            isPending={busy === 'cancel'}
            isDisabled={busy === 'save'}
            onPress={() => void giveUp()}
          >
            {isInvite ? words.later : words.cancel}
          </Button>
        </div>
      </form>
    </EntryPage>
  )
}
