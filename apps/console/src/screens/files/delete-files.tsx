import { useMutation } from '@tanstack/react-query'
import type { JSX } from 'react'
import { ConfirmDialog, showToast } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { lastSegmentOf } from './file-names.ts'
import { folderKey, USAGES } from './use-buckets.ts'

/** Confirms the deletion of files. */
export function DeleteFiles({
  bucket,
  keys,
  onClose,
  onDone,
}: {
  readonly bucket: string
  readonly keys: readonly string[]
  readonly onClose: () => void
  readonly onDone: () => void
}): JSX.Element {
  const remove = useMutation({
    mutationFn: () => request<{ deleted: number }>('POST /files/delete', { body: { bucket, keys } }),
    onSuccess: async ({ deleted }) => {
      showToast({ text: deleted === 1 ? 'The file was deleted' : `${formatCount(deleted)} files were deleted` })
      onDone()
      await Promise.all([folderKey(bucket), USAGES].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    },
  })
  const [only = ''] = keys
  return (
    <ConfirmDialog
      title={keys.length === 1 ? `Delete ${lastSegmentOf(only)}?` : `Delete ${formatCount(keys.length)} files?`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete"
      isDanger
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <div className="flex flex-col gap-3 [overflow-wrap:anywhere]">
        <p>The bytes are deleted, too. Rows of your tables that refer to them stay. This cannot be undone.</p>
        <FormError error={remove.error} />
      </div>
    </ConfirmDialog>
  )
}
