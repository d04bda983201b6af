import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button, PasswordField, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient, SESSION_KEY } from '../../lib/query-client.ts'
import { EntryFrame } from './entry-frame.tsx'

export function PasswordForm({ projectName }: { readonly projectName: string }): JSX.Element {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => request('POST /session', { body: { email: email.trim(), password } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: SESSION_KEY }),
  })
  return (
    <EntryFrame title="Sign in" projectName={projectName}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!signIn.isPending) signIn.mutate()
        }}
      >
        <TextField
          label="Email address"
          type="email"
          name="email"
          autoComplete="username"
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <PasswordField label="Password" value={password} onChange={setPassword} />
        <FormError error={signIn.error} />
        <Button
          type="submit"
          tone="primary"
          isPending={signIn.isPending}
          isDisabled={email.trim() === '' || password === ''}
        >
          Sign in
        </Button>
        <p className="text-small text-muted">
          Forgot it? An owner can send you a recovery link, or run{' '}
          <code className="font-mono">holdfast console recover</code> on the server.
        </p>
      </form>
    </EntryFrame>
  )
}
