import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Checkbox, FormDialog, PasswordField, Select, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

const WAYS = [
  { value: 'invite', label: 'Send an invitation mail' },
  { value: 'create', label: 'Create with a password' },
]

/** Adds a user: by invitation mail, or at once with a password. */
export function AddUser({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const navigate = useNavigate()
  const [way, setWay] = useState('invite')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isConfirmed, setConfirmed] = useState(true)
  const isInvitation = way === 'invite'
  const add = useMutation({
    mutationFn: () =>
      isInvitation
        ? request<{ user: { id: string } }>('POST /users/invite', { body: { email: email.trim() } })
        : request<{ user: { id: string } }>('POST /users', {
            body: { email: email.trim(), password, email_confirm: isConfirmed },
          }),
    onSuccess: async ({ user }) => {
      showToast({ text: isInvitation ? `Invitation queued for ${email.trim()}` : `${email.trim()} was added` })
      await queryClient.invalidateQueries({ queryKey: ['users'] })
      onClose()
      await navigate({ to: '/users/$id', params: { id: user.id } })
    },
  })
  return (
    <FormDialog
      title="Add user"
      submitLabel={isInvitation ? 'Invite' : 'Add'}
      isPending={add.isPending}
      isDisabled={email.trim() === '' || (!isInvitation && password === '')}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <Select label="How" options={WAYS} value={way} onChange={setWay} />
      <TextField label="Email address" type="email" autoFocus autoComplete="off" value={email} onChange={setEmail} />
      {isInvitation ? null : (
        <>
          <PasswordField label="Password" isNew value={password} onChange={setPassword} />
          <Checkbox isSelected={isConfirmed} onChange={setConfirmed}>
            The address is confirmed
          </Checkbox>
        </>
      )}
      <FormError error={add.error} />
    </FormDialog>
  )
}
