import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Dialog, FormDialog, Select } from '@holdfast/workspace'
import { CopyLink } from '../../components/copy-link.tsx'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'

const LIFETIMES = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '1 week' },
  { value: '2592000', label: '30 days' },
  { value: '31536000', label: '1 year' },
]

/** Creates a signed URL. */
export function ShareFile({
  bucket,
  fileKey,
  onClose,
}: {
  readonly bucket: string
  readonly fileKey: string
  readonly onClose: () => void
}): JSX.Element {
  const [seconds, setSeconds] = useState('3600')
  const sign = useMutation({
    mutationFn: () =>
      request<{ url: string }>('POST /files/sign', { body: { bucket, key: fileKey, seconds: Number(seconds) } }),
  })
  if (sign.data)
    return (
      <Dialog title="Link to the file" isOpen onClose={onClose} size="md">
        <CopyLink link={sign.data.url} label="Signed URL">
          Whoever has it reads the file until it expires, whatever the policies say. It cannot be revoked; moving or
          deleting the file breaks it.
        </CopyLink>
      </Dialog>
    )
  return (
    <FormDialog
      title="Create link"
      submitLabel="Create"
      isPending={sign.isPending}
      onSubmit={() => sign.mutate()}
      onClose={onClose}
    >
      <Select label="Valid for" options={LIFETIMES} value={seconds} onChange={setSeconds} />
      <FormError error={sign.error} />
    </FormDialog>
  )
}
