import { useMutation, useQuery } from '@tanstack/react-query'
import type { JSX } from 'react'
import type { FolderSize } from '@holdfast/protocol'
import { ConfirmDialog, showToast } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { lastSegmentOf } from './file-names.ts'
import { folderKey, USAGES } from './use-buckets.ts'

/** Deletes a folder with its files, whose number it says first. */
export function DeleteFolder({
  bucket,
  folder,
  onClose,
  onDone,
}: {
  readonly bucket: string
  readonly folder: string
  readonly onClose: () => void
  readonly onDone: () => void
}): JSX.Element {
  const size = useQuery({
    queryKey: [...folderKey(bucket), 'size', folder],
    queryFn: ({ signal }) => request<FolderSize>(`GET /files/folder${queryOf({ bucket, folder })}`, { signal }),
    gcTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => request<{ deleted: number }>('POST /files/delete-folder', { body: { bucket, folder } }),
    onSuccess: async ({ deleted }) => {
      showToast({ text: `${formatCount(deleted)} ${deleted === 1 ? 'file was' : 'files were'} deleted` })
      onDone()
      await Promise.all([folderKey(bucket), USAGES].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    },
  })
  const isTooLarge = size.data !== undefined && size.data.files > size.data.filesMax
  return (
    <ConfirmDialog
      title={`Delete the folder ${lastSegmentOf(folder)}?`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete"
      isDanger
      isDisabled={!size.data || isTooLarge}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <div className="flex flex-col gap-3 [overflow-wrap:anywhere]">
        <QueryState query={size} rows={1}>
          {({ files, bytes, filesMax }) =>
            files > filesMax ? (
              <p role="alert">
                It has more than {formatCount(filesMax)} files. Delete its folders one by one, or empty the bucket.
              </p>
            ) : (
              <p>
                {formatCount(files)} {files === 1 ? 'file' : 'files'} of {formatBytes(bytes)}, also those of its
                folders, {files === 1 ? 'is' : 'are'} deleted. Rows of your tables that refer to them stay. This cannot
                be undone.
              </p>
            )
          }
        </QueryState>
        <FormError error={remove.error} />
      </div>
    </ConfirmDialog>
  )
}
