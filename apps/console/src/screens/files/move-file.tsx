import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { FormDialog, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { folderKey } from './use-buckets.ts'

/** Gives a file another name or folder in its bucket. */
export function MoveFile({
  bucket,
  fileKey,
  onClose,
  onMoved,
}: {
  readonly bucket: string
  readonly fileKey: string
  readonly onClose: () => void
  readonly onMoved: (key: string) => void
}): JSX.Element {
  const [to, setTo] = useState(fileKey)
  const move = useMutation({
    mutationFn: () => request('POST /files/move', { body: { bucket, key: fileKey, to } }),
    onSuccess: async () => {
      showToast({ text: 'The file was moved' })
      onMoved(to)
      await queryClient.invalidateQueries({ queryKey: folderKey(bucket) })
    },
  })
  return (
    <FormDialog
      title="Rename or move"
      submitLabel="Move"
      size="md"
      isPending={move.isPending}
      isDisabled={to === '' || to === fileKey}
      onSubmit={() => move.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Full name"
        value={to}
        onChange={setTo}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={1_024}
        description="Slashes make folders. Links to the old name stop working."
      />
      <FormError error={move.error} />
    </FormDialog>
  )
}
