import { useMutation, useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { Invitation } from '@holdfast/protocol'
import { Button, PasswordField, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'
import { queryClient, SESSION_KEY } from '../../lib/query-client.ts'
import { EntryFrame } from './entry-frame.tsx'

/** Minimum length, as the server requires it. */
const PASSWORD_CHARS_MIN = 12

/** Creates an operator's account, or sets a new password. */
export function AcceptInvitation({
  invitationKey,
  projectName,
  onDone,
}: {
  readonly invitationKey: string
  readonly projectName: string
  readonly onDone: () => void
}): JSX.Element {
  const invitation = useQuery({
    queryKey: ['invitation', invitationKey],
    queryFn: () => request<Invitation>('POST /invitations/read', { body: { key: invitationKey } }),
    staleTime: Infinity,
  })
  const title = invitation.data?.isRecovery ? 'Set a new password' : 'Create your operator account'
  return (
    <EntryFrame title={title} projectName={projectName}>
      <QueryState query={invitation} rows={3}>
        {(given) => <InvitationForm given={given} invitationKey={invitationKey} onDone={onDone} />}
      </QueryState>
      {invitation.error === null ? null : <Button onPress={onDone}>Sign in instead</Button>}
    </EntryFrame>
  )
}

function InvitationForm({
  given,
  invitationKey,
  onDone,
}: {
  readonly given: Invitation
  readonly invitationKey: string
  readonly onDone: () => void
}): JSX.Element {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () =>
      request('POST /invitations/accept', {
        body: {
          key: invitationKey,
          name: given.isRecovery ? 'unchanged' : name.trim(),
          password,
          ...(given.email === null && { email: email.trim() }),
        },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
      onDone()
    },
  })
  const isComplete =
    password.length >= PASSWORD_CHARS_MIN &&
    (given.isRecovery || name.trim() !== '') &&
    (given.email !== null || email.trim() !== '')
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete && !accept.isPending) accept.mutate()
      }}
    >
      <p className="text-muted">
        {given.email === null ? (
          'You become the first owner of this console. Owners invite the others.'
        ) : (
          <>
            For <strong className="font-medium text-text">{given.email}</strong>, with the role {given.role}.
          </>
        )}
      </p>
      {given.isRecovery ? null : (
        <TextField label="Your name" name="name" autoComplete="name" autoFocus value={name} onChange={setName} />
      )}
      {given.email === null ? (
        <TextField
          label="Email address"
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
        />
      ) : null}
      <PasswordField
        label="Password"
        isNew
        description={`At least ${PASSWORD_CHARS_MIN} characters. Three random words are a good start.`}
        value={password}
        onChange={setPassword}
      />
      <FormError error={accept.error} />
      <Button type="submit" tone="primary" isPending={accept.isPending} isDisabled={!isComplete}>
        {given.isRecovery ? 'Set password' : 'Create account'}
      </Button>
    </form>
  )
}
