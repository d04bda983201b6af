import { DeviceFull } from '@holdfast/client'
import { useAttachments, useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Select } from '../../components/select.tsx'
import { showToast } from '../../components/toast.tsx'
import { formatBytes } from '../../lib/format.ts'
import { PHOTO_SPACE_CHOICES, photoSpace, setPhotoSpace } from '../../lib/data/photo-space.ts'
import { fullDeviceMessages } from '../../messages/full-device.ts'
import { syncFileMessages as words } from '../../messages/sync-files.ts'

interface Usage {
  readonly cached: number
  readonly unsent: number
}

const USAGE_SQL = `
  select coalesce(sum(size) filter (where state in ('linked', 'cached')), 0) as cached,
         coalesce(sum(size) filter (where state in ('captured', 'preparing', 'queued', 'uploading', 'refused')), 0) as unsent
    from hf_local_files where bytes_name is not null`

/** Storage used by files. Files that the server also has can be deleted. */
export function FileSpace(): JSX.Element {
  const attachments = useAttachments()
  const { rows } = useRecords<Usage>(USAGE_SQL, [], { throttleMs: 500 })
  const { cached, unsent } = rows[0] ?? { cached: 0, unsent: 0 }
  const [isBusy, setBusy] = useState(false)
  const [isStillFull, setStillFull] = useState(false)
  const [limit, setLimit] = useState(photoSpace)
  /** @returns whether there was room to record the deletion */
  const keepOnly = async (bytes: number): Promise<boolean> => {
    setStillFull(false)
    try {
      await attachments.freeUpSpace(bytes)
      return true
    } catch (error) {
      if (!(error instanceof DeviceFull)) throw error
      setStillFull(true)
      return false
    }
  }
  const changeLimit = (bytes: number): void => {
    setLimit(bytes)
    setPhotoSpace(bytes)
    void keepOnly(bytes)
  }
  const freeUp = async (): Promise<void> => {
    setBusy(true)
    try {
      if (await keepOnly(0)) showToast({ text: words.freed(cached) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <section aria-labelledby="file-space" className="flex max-w-2xl flex-col items-start gap-3">
      <h2 id="file-space" className="text-heading">
        {words.spaceTitle}
      </h2>
      <dl className="grid w-full grid-cols-[1fr_auto] gap-x-4 gap-y-2 rounded-lg border border-border px-4 py-3">
        <dt className="text-muted">{words.onlyHere}</dt>
        <dd className="text-right tabular-nums">{formatBytes(unsent)}</dd>
        <dt className="text-muted">{words.cached}</dt>
        <dd className="text-right tabular-nums">{formatBytes(cached)}</dd>
      </dl>
      <Select
        label={words.limit}
        description={words.limitDetail}
        className="w-full max-w-md"
        value={String(limit)}
        options={[...new Set([...PHOTO_SPACE_CHOICES, limit])]
          .sort((a, b) => a - b)
          .map((bytes) => ({ value: String(bytes), label: formatBytes(bytes) }))}
        onChange={(bytes) => changeLimit(Number(bytes))}
      />
      <p className="text-muted">{words.freeUpDetail}</p>
      <Button isDisabled={cached === 0} isPending={isBusy} onPress={() => void freeUp()}>
        {words.freeUp}
      </Button>
      <div role="alert">
        {isStillFull ? <p className="text-small text-danger">{fullDeviceMessages.stillFull}</p> : null}
      </div>
    </section>
  )
}
