import { useNavigate, useSearch } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { UsernameEmailField } from '../../components/username-email-field.tsx'
import { findEmailProblem } from '../../lib/auth/identifier.ts'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { recoverMessages as words } from '../../messages/recover.ts'
import { sendRecoveryMail } from './send-recovery-mail.ts'

/** Requests a recovery mail. Shows the same result whether or not the account exists. */
export function RecoverScreen(): JSX.Element {
  const { config, client } = useBackend()
  const { email: emailAtStart = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [email, setEmail] = useState(emailAtStart)
  const address = email.trim()
  const form = useEntryForm<'username'>({
    check() {
      const found = findEmailProblem(email)
      return found && { field: 'username', text: found === 'missing' ? words.emailMissing : words.emailIncomplete }
    },
    async send() {
      await sendRecoveryMail(client.supabase, address)
      await navigate({ to: '/recover/code', search: { email: address } })
    },
  })

  return (
    <EntryPage
      project={config.project.name}
      title={words.title}
      lead={words.detail}
      offline={form.isOnline ? undefined : words.offline}
    >
      <EntryForm form={form} submitLabel={words.submit}>
        <UsernameEmailField
          label={words.email}
          value={email}
          onChange={setEmail}
          autoFocus
          errorMessage={form.problemOf('username')}
        />
      </EntryForm>
      <p className="text-small">
        <TextLink to="/sign-in" search={{ email: address === '' ? undefined : address }}>
          {words.back}
        </TextLink>
      </p>
    </EntryPage>
  )
}
