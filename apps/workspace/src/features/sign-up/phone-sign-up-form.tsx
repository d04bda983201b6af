import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { TextField } from '../../components/text-field.tsx'
import { parseIdentifier } from '../../lib/auth/identifier.ts'
import { noteSent } from '../../lib/auth/sent-codes.ts'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { signUpMessages as words } from '../../messages/sign-up.ts'

/** Creates an account with a phone number and no password; a code confirms it. */
export function PhoneSignUpForm({ onSent }: { readonly onSent: (phone: string) => Promise<void> }): JSX.Element {
  const { client } = useBackend()
  const [text, setText] = useState('')
  const identifier = parseIdentifier(text)
  const form = useEntryForm<'tel'>({
    check: () => ('phone' in identifier ? undefined : { field: 'tel', text: words.phoneMissing }),
    async send() {
      if (!('phone' in identifier)) return
      const { error } = await client.supabase.auth.signInWithOtp({ ...identifier, options: { shouldCreateUser: true } })
      if (error) throw error
      noteSent('sign-in', identifier)
      await onSent(identifier.phone)
    },
  })

  return (
    <EntryForm form={form} submitLabel={words.sendCode}>
      <TextField
        label={words.phone}
        type="tel"
        name="tel"
        autoComplete="tel"
        inputMode="tel"
        value={text}
        onChange={setText}
        autoFocus
        description={words.phoneHelp}
        errorMessage={form.problemOf('tel')}
      />
    </EntryForm>
  )
}
