import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { invitationMessages as words } from '../../messages/invitation.ts'
import { requestInvitation } from './invitation-calls.ts'

/** Sends the holder of an invite link a personal invitation, which verifies the address. */
export function RequestForm({ secret }: { readonly secret: string }): JSX.Element {
  const [email, setEmail] = useState('')
  const [mailedTo, setMailedTo] = useState<string>()
  const address = email.trim()
  const form = useEntryForm<'email'>({
    check: () => (address === '' ? { field: 'email', text: words.emailMissing } : undefined),
    async send() {
      await requestInvitation({ secret, email: address })
      setMailedTo(address)
    },
  })
  if (mailedTo !== undefined)
    return (
      <Notice tone="success" role="status" title={words.mailed}>
        {words.mailedDetail(mailedTo)}
      </Notice>
    )
  return (
    <EntryForm form={form} submitLabel={words.sendLink}>
      <TextField
        label={words.email}
        description={words.emailHelp}
        type="email"
        name="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        errorMessage={form.problemOf('email')}
      />
    </EntryForm>
  )
}
