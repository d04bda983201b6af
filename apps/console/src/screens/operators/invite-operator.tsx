import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { OperatorRole } from '@holdfast/protocol'
import { Button, Dialog, FormDialog, Select, TextField } from '@holdfast/workspace'
import { CopyLink } from '../../components/copy-link.tsx'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

const ROLES = [
  { value: 'viewer', label: 'Viewer: reads, without personal data' },
  { value: 'developer', label: 'Developer: changes the project' },
  { value: 'owner', label: 'Owner: also invites operators' },
]

/** Creates an invitation or recovery link, which the owner passes on. @param recovered - address of an existing operator */
export function InviteOperator({
  recovered,
  onClose,
}: {
  readonly recovered: string | undefined
  readonly onClose: () => void
}): JSX.Element {
  const [email, setEmail] = useState(recovered ?? '')
  const [role, setRole] = useState<string>('developer')
  const invite = useMutation({
    mutationFn: () =>
      request<{ key: string; hours: number }>('POST /operators', {
        body: { email: email.trim(), role: role as OperatorRole, recovers: recovered !== undefined },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operators'] }),
  })
  const title = recovered === undefined ? 'Invite an operator' : 'Recovery link'
  if (invite.data)
    return (
      <Dialog title={title} isOpen onClose={onClose} size="md" actions={<Button onPress={onClose}>Done</Button>}>
        <CopyLink link={`${location.origin}/console/#key=${invite.data.key}`} label="Link">
          Send this link to {email.trim()}. It works once, within {invite.data.hours} hours, and is not shown again.
        </CopyLink>
      </Dialog>
    )
  return (
    <FormDialog
      title={title}
      submitLabel="Create link"
      isPending={invite.isPending}
      isDisabled={email.trim() === ''}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      {recovered === undefined ? (
        <>
          <TextField
            label="Email address"
            type="email"
            autoFocus
            autoComplete="off"
            value={email}
            onChange={setEmail}
          />
          <Select label="Role" options={ROLES} value={role} onChange={setRole} />
        </>
      ) : (
        <p>With the link, {recovered} sets a new password. It removes their second factor and ends their sessions.</p>
      )}
      <FormError error={invite.error} />
    </FormDialog>
  )
}
