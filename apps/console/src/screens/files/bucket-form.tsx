import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import type { BucketList, ListedBucket } from '@holdfast/protocol'
import { Checkbox, FormDialog, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { parseSize, renderSize } from './file-names.ts'
import { BUCKETS } from './use-buckets.ts'

/** Creates a bucket, or changes one: who may read it, and its limits. */
export function BucketForm({
  bucket,
  server: { fileSizeLimit: serverLimit },
  onClose,
}: {
  /** The bucket to change; missing for a new one. */
  readonly bucket?: ListedBucket
  readonly server: Pick<BucketList, 'fileSizeLimit'>
  readonly onClose: () => void
}): JSX.Element {
  const navigate = useNavigate()
  const [name, setName] = useState(bucket?.id ?? '')
  const [isPublic, setPublic] = useState(bucket?.isPublic ?? false)
  const [limit, setLimit] = useState(bucket?.fileSizeLimit ? renderSize(bucket.fileSizeLimit) : '')
  const [types, setTypes] = useState(bucket?.allowedMimeTypes?.join(', ') ?? '')
  const fileSizeLimit = parseSize(limit)
  const save = useMutation({
    mutationFn: () => {
      const listed = types.split(/[\s,]+/).filter((type) => type !== '')
      const body = { isPublic, fileSizeLimit, allowedMimeTypes: listed.length === 0 ? null : listed }
      return bucket
        ? request(`PATCH /files/buckets/${encodeURIComponent(bucket.id)}`, { body })
        : request('POST /files/buckets', { body: { ...body, name } })
    },
    onSuccess: async () => {
      showToast({ text: bucket ? 'The bucket was changed' : `The bucket ${name} was created` })
      await queryClient.invalidateQueries({ queryKey: BUCKETS })
      onClose()
      if (!bucket) await navigate({ to: '/files', search: { bucket: name } })
    },
  })
  return (
    <FormDialog
      title={bucket ? `Edit ${bucket.id}` : 'New bucket'}
      submitLabel={bucket ? 'Save' : 'Create'}
      isPending={save.isPending}
      isDisabled={name.trim() === '' || fileSizeLimit === undefined}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {bucket ? null : (
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          description="Clients use it in their code. It cannot be changed."
        />
      )}
      <Checkbox isSelected={isPublic} onChange={setPublic}>
        Public: whoever has a file’s address reads it
      </Checkbox>
      <TextField
        label="Size limit of a file"
        value={limit}
        onChange={setLimit}
        autoComplete="off"
        placeholder={renderSize(serverLimit)}
        description={`Such as 5 MB. Empty: the server’s limit, ${renderSize(serverLimit)}.`}
        errorMessage={fileSizeLimit === undefined ? 'Write a number with a unit, such as 5 MB.' : undefined}
      />
      <TextField
        label="Allowed types"
        value={types}
        onChange={setTypes}
        autoComplete="off"
        spellCheck={false}
        placeholder="image/*, application/pdf"
        description="Media types, separated by commas. Empty: all."
      />
      <FormError error={save.error} />
    </FormDialog>
  )
}
