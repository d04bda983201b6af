import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { ConfirmDialog, FormDialog, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { BUCKETS, folderKey, USAGES } from './use-buckets.ts'

/** Deletes all files of a bucket, after its name was typed. */
export function EmptyBucket({
  id,
  files,
  onClose,
}: {
  readonly id: string
  /** Missing if unknown. */
  readonly files: number | undefined
  readonly onClose: () => void
}): JSX.Element {
  const [typed, setTyped] = useState('')
  const empty = useMutation({
    mutationFn: () => request(`POST /files/buckets/${encodeURIComponent(id)}/empty`),
    onSuccess: async () => {
      showToast({ text: 'The files are being deleted' })
      onClose()
      await Promise.all([folderKey(id), USAGES].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    },
  })
  return (
    <FormDialog
      title={`Empty ${id}?`}
      submitLabel="Delete all files"
      isPending={empty.isPending}
      isDisabled={typed !== id}
      onSubmit={() => empty.mutate()}
      onClose={onClose}
    >
      <p>
        {files === undefined ? 'All files' : `${formatCount(files)} ${files === 1 ? 'file' : 'files'}`} will be deleted
        in the background. This cannot be undone.
      </p>
      <TextField
        label={`Type ${id} to confirm`}
        value={typed}
        onChange={setTyped}
        autoFocus
        autoComplete="off"
        spellCheck={false}
      />
      <FormError error={empty.error} />
    </FormDialog>
  )
}

/** Deletes an empty bucket. */
export function DeleteBucket({ id, onClose }: { readonly id: string; readonly onClose: () => void }): JSX.Element {
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => request(`DELETE /files/buckets/${encodeURIComponent(id)}`),
    onSuccess: async () => {
      showToast({ text: 'The bucket was deleted' })
      await navigate({ to: '/files', search: {} })
      await queryClient.invalidateQueries({ queryKey: BUCKETS })
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${id}?`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete"
      isDanger
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <div className="flex flex-col gap-3">
        <p>Only an empty bucket can be deleted. Policies that name it stay.</p>
        <FormError error={remove.error} />
      </div>
    </ConfirmDialog>
  )
}
