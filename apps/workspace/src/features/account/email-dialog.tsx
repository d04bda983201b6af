import type { User } from '@supabase/supabase-js'
import { type JSX, useState } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { callbackUrl } from '../../lib/auth/callback-url.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { profileMessages as words } from '../../messages/account-profile.ts'
import { useAccount } from './account-context.tsx'
import { FailureDetails } from './failure-text.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'

/** Asks for a new address. The server sends confirmation links, or applies the change at once if confirmation is off. */
export function EmailDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }): JSX.Element {
  const { config } = useBackend()
  const { supabase, reload } = useAccount()
  const action = useAction()
  const [email, setEmail] = useState('')
  const [problem, setProblem] = useState<string>()
  const old = user.email ?? ''

  const submit = async (): Promise<void> => {
    const next = email.trim()
    const wrong = !next.includes('@')
      ? words.emailMissing
      : next.toLowerCase() === old.toLowerCase()
        ? words.emailSame
        : undefined
    setProblem(wrong)
    if (wrong !== undefined) return
    const isDone = await action.run(async () => {
      const { user: changed } = unwrap(
        await supabase.auth.updateUser(
          { email: next },
          { emailRedirectTo: callbackUrl({ flow: 'email-change', redirect: '/account' }) },
        ),
      )
      if (changed?.email?.toLowerCase() === next.toLowerCase()) showToast({ text: words.emailDone(next) })
      await reload()
    })
    if (isDone) onClose()
  }
  return (
    <FormDialog
      title={old === '' ? words.addEmail : words.changeEmail}
      submitLabel={words.sendMail}
      isPending={action.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={words.newEmail}
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        spellCheck={false}
        autoFocus
        value={email}
        onChange={setEmail}
        description={config.account.isEmailChangeConfirmedTwice && old !== '' ? words.emailTwice(old) : words.emailOnce}
        errorMessage={problem ?? (action.failure ? <FailureDetails failure={action.failure} /> : undefined)}
      />
    </FormDialog>
  )
}
