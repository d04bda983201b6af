import { useAttachmentFile, useAttachments, useValue } from '@holdfast/react'
import { isUnsent } from '@holdfast/client'
import { File as FileIcon, Trash2 } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { showToast } from '../../../components/toast.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { fileLooks } from '../../../lib/photos/file-looks.ts'
import type { FieldFile } from '../../../lib/photos/use-field-files.ts'
import { loadsUnasked } from '../../../lib/photos/use-photos.ts'
import { saveBlob } from '../../../lib/save-file.ts'
import { fileMessages as words } from '../../../messages/files.ts'
import { photoMessages } from '../../../messages/photos.ts'

/** A file that is no picture: its name, size and state. Pressing it saves it, or loads it first. */
export function FileRow({
  file: { id, name },
  onRemove,
}: {
  readonly file: FieldFile
  /** `undefined`: not allowed. */
  readonly onRemove: (() => Promise<boolean>) | undefined
}): JSX.Element {
  const attachments = useAttachments()
  const pause = useValue(attachments.pause)
  const { file, load, retry } = useAttachmentFile(id, { fetches: loadsUnasked })
  const looks = file && fileLooks(file, pause)
  const isHere = file?.bytesName !== undefined
  const press = async (): Promise<void> => {
    if (isHere) {
      const bytes = await attachments.exportFile(id)
      if (bytes) saveBlob(name, bytes)
    } else if (file?.state === 'unavailable') await retry()
    else if (file && file.state !== 'elsewhere') await load()
  }
  const facts = [file && file.size > 0 ? formatBytes(file.size) : undefined, looks?.text].filter(Boolean).join(' · ')
  return (
    <li className="flex items-center gap-2 pr-1">
      <AriaButton
        aria-label={[isHere ? words.save(name) : words.load(name), looks?.text].filter(Boolean).join('. ')}
        onPress={() => void press()}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1.5 text-left data-hovered:bg-hover"
      >
        <FileIcon size={18} aria-hidden className="shrink-0 text-muted" />
        <span className="flex min-w-0 flex-col">
          <span className="truncate text-body">{name}</span>
          {facts === '' ? null : <span className="text-small text-muted">{facts}</span>}
        </span>
      </AriaButton>
      {onRemove ? (
        <RemoveButton name={name} isUnsent={file !== undefined && isUnsent(file)} onRemove={onRemove} />
      ) : null}
    </li>
  )
}

/** Removes a file after a confirmation. */
export function RemoveButton({
  name,
  isUnsent: isOnlyCopy,
  onRemove,
}: {
  readonly name: string
  readonly isUnsent: boolean
  readonly onRemove: () => Promise<boolean>
}): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  const remove = async (): Promise<void> => {
    setAsked(false)
    if (await onRemove()) showToast({ text: words.removed(name) })
  }
  return (
    <>
      <IconButton label={words.remove(name)} icon={<Trash2 size={16} aria-hidden />} onPress={() => setAsked(true)} />
      <ConfirmDialog
        title={words.removeTitle(name)}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        confirmLabel={words.removeLabel}
        isDanger
        onConfirm={() => void remove()}
      >
        <p>{words.removeDetail}</p>
        {isOnlyCopy ? <p className="pt-2 font-medium text-danger">{photoMessages.deleteUnsent}</p> : null}
      </ConfirmDialog>
    </>
  )
}
