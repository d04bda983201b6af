import { useNavigate } from '@tanstack/react-router'
import { useValue } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryForm } from '../../components/entry-form.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { showToast } from '../../components/toast.tsx'
import { clearPendingPassword, usePendingPassword } from '../../lib/pending-password.ts'
import { type EntryFormControl, useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { findNewPasswordProblem } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { recoverMessages as words } from '../../messages/recover.ts'

/** Lets a user who signed in with a recovery mail choose a password. The account leads here until they do, or give up. */
export function NewPasswordScreen(): JSX.Element {
  const { config, client } = useBackend()
  const session = useValue(client.session)
  const isInvite = usePendingPassword(({ pending }) => pending?.reason === 'invite')
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const email = 'user' in session ? (session.user.email ?? '') : ''
  const form = useEntryForm<'new-password'>({
    check() {
      const found = findNewPasswordProblem(password, config.account.password)
      return found && { field: 'new-password', text: passwordMessages[found] }
    },
    async send() {
      const { error } = await client.supabase.auth.updateUser({ password })
      if (error) throw error
      clearPendingPassword()
      showToast({ text: words.saved })
      await navigate({ to: '/w', replace: true })
    },
    async answer(failure) {
      if (failure.kind === 'new_password') return { field: 'new-password', text: passwordMessages[failure.reason] }
      if (failure.kind !== 'second_factor') return undefined
      await navigate({ to: '/sign-in/second-factor', search: { redirect: '/recover/new-password' } })
      return 'handled'
    },
  })

  return (
    <EntryPage
      project={config.project.name}
      title={isInvite ? words.inviteTitle : words.newTitle}
      lead={isInvite ? words.inviteDetail(email) : words.newDetail(email)}
      offline={form.isOnline ? undefined : words.offline}
    >
      <EntryForm form={form} buttons={<Buttons form={form} isInvite={isInvite} />}>
        {/* Password managers store the new password under this name. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordField
          value={password}
          onChange={setPassword}
          rules={config.account.password}
          autoFocus
          errorMessage={form.problemOf('new-password')}
        />
      </EntryForm>
    </EntryPage>
  )
}

function Buttons({ form, isInvite }: { readonly form: EntryFormControl; readonly isInvite: boolean }): JSX.Element {
  const { client } = useBackend()
  const navigate = useNavigate()
  const [isLeaving, setLeaving] = useState(false)
  const giveUp = async (): Promise<void> => {
    setLeaving(true)
    clearPendingPassword()
    if (isInvite) {
      await navigate({ to: '/w', replace: true })
      return
    }
    // Ends only the session from the mail; the user's data on this device stays.
    await client.signOut('keep')
    await navigate({ to: '/sign-in', replace: true })
  }
  return (
    <div className="flex flex-col gap-2">
      <SubmitButton isOnline={form.isOnline} isPending={form.isPending} isDisabled={form.waitS > 0 || isLeaving}>
        {words.save}
      </SubmitButton>
      <Button tone="quiet" isFullWidth isPending={isLeaving} isDisabled={form.isPending} onPress={() => void giveUp()}>
        {isInvite ? words.later : words.cancel}
      </Button>
    </div>
  )
}
