import type { FileEntry, TransferPause } from '@holdfast/client'
import { useAttachmentUpload } from '@holdfast/react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { formatBytes } from '../../lib/format.ts'
import { fileLooks } from '../../lib/photos/file-looks.ts'
import { useRemovePhoto } from '../../lib/photos/use-photos.ts'
import { useThumbnail } from '../../lib/photos/use-thumbnail.ts'
import { isVideo } from '../../lib/is-video.ts'
import { saveBlob } from '../../lib/save-file.ts'
import { photoMessages } from '../../messages/photos.ts'
import { syncFileMessages as words } from '../../messages/sync-files.ts'
import { FileRecordLink } from './file-record-link.tsx'
import { FileSpace } from './file-space.tsx'
import { useConfirmedWork } from './use-confirmed-work.ts'

/** Files that exist only on this device, refused files, and the storage used. */
export function FilesTab({ workspace }: { readonly workspace: string }): JSX.Element {
  const { unsent, pause } = useAttachmentUpload()
  const refused = unsent.filter(({ state }) => state === 'refused')
  const waiting = unsent.filter(({ state }) => state !== 'refused')
  const bytes = unsent.reduce((sum, { size }) => sum + size, 0)
  return (
    <div className="flex flex-col gap-8">
      {unsent.length === 0 ? (
        <EmptyState title={words.filesEmpty} icon={<StateGlyph name="check" size={28} />}>
          {words.filesEmptyDetail}
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-5">
          <p className="max-w-[72ch] text-muted">{words.filesLead(unsent.length, bytes)}</p>
          <PauseNote pause={pause} isWaiting={waiting.length > 0} />
          <FileList title={photoMessages.refusedTitle} files={refused} pause={pause} workspace={workspace} />
          <FileList title={words.waitingTitle} files={waiting} pause={pause} workspace={workspace} />
        </div>
      )}
      <FileSpace />
    </div>
  )
}

/** Explains why uploads are paused, and what the user can do. */
function PauseNote({
  pause,
  isWaiting,
}: {
  readonly pause: TransferPause
  readonly isWaiting: boolean
}): JSX.Element | null {
  const { setPaused, setUsesMetered } = useAttachmentUpload()
  if (!isWaiting) return null
  switch (pause) {
    case undefined:
      return (
        <Button size="sm" className="self-start" onPress={() => void setPaused(true)}>
          {words.pauseFiles}
        </Button>
      )
    case 'person':
      return (
        <Notice
          title={words.pausedNote}
          actions={
            <Button size="sm" onPress={() => void setPaused(false)}>
              {words.resumeFiles}
            </Button>
          }
        />
      )
    case 'metered':
      return (
        <Notice
          title={words.meteredNote}
          actions={
            <Button size="sm" onPress={() => void setUsesMetered(true)}>
              {words.sendAnyway}
            </Button>
          }
        />
      )
    case 'offline':
      return <Note text={words.offlineNote} />
    case 'sign_in':
      return <Note text={words.signInNote} />
    case 'disconnected':
      return <Note text={words.disconnectedNote} />
    default:
      return pause satisfies never
  }
}

function Note({ text }: { readonly text: string }): JSX.Element {
  return (
    <p className="flex items-center gap-2 text-warning">
      <StateGlyph name="cloud-off" /> {text}
    </p>
  )
}

function FileList({
  title,
  files,
  ...shared
}: {
  readonly title: string
  readonly files: readonly FileEntry[]
  readonly pause: TransferPause
  readonly workspace: string
}): JSX.Element | null {
  if (files.length === 0) return null
  return (
    <section>
      <h2 className="pb-2 text-heading">{title}</h2>
      <ul aria-label={title} className="flex flex-col gap-2">
        {files.map((file) => (
          <FileRow key={file.id} file={file} {...shared} />
        ))}
      </ul>
    </section>
  )
}

function FileRow({
  file,
  pause,
  workspace,
}: {
  readonly file: FileEntry
  readonly pause: TransferPause
  readonly workspace: string
}): JSX.Element {
  const thumbnail = useThumbnail(file)
  const looks = fileLooks(file, pause)
  return (
    <li className="flex flex-wrap gap-3 rounded-lg border border-border px-3 py-2.5">
      <span className="size-14 shrink-0 overflow-hidden rounded-md bg-sunken">
        {thumbnail ? (
          <img src={thumbnail.url} alt="" className="size-full object-cover" />
        ) : isVideo(file.mediaType) ? (
          <span className="grid size-full place-items-center text-muted">
            <StateGlyph name="film" size={20} />
          </span>
        ) : null}
      </span>
      <div className="flex min-w-[12rem] flex-1 flex-col justify-center gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <FileRecordLink file={file} workspace={workspace} />
          <span className="text-small text-muted tabular-nums">{formatBytes(file.size)}</span>
        </p>
        {looks?.progress === undefined ? (
          <p className={file.state === 'refused' ? 'text-small text-danger' : 'text-small text-muted'}>{looks?.text}</p>
        ) : (
          <Progress
            label={looks.text}
            value={file.sentBytes}
            total={file.size}
            valueText={`${formatBytes(file.sentBytes)} / ${formatBytes(file.size)}`}
          />
        )}
      </div>
      <FileActions file={file} />
    </li>
  )
}

function FileActions({ file }: { readonly file: FileEntry }): JSX.Element {
  const { retry, exportFile, setFilePaused } = useAttachmentUpload()
  const remove = useRemovePhoto()
  const discarding = useConfirmedWork(() => remove(file.id))
  const save = async (): Promise<void> => {
    const copy = await exportFile(file.id)
    if (copy) saveBlob(copy.name, copy)
  }
  if (file.state !== 'refused') {
    return (
      <div className="flex items-center">
        <Button size="sm" onPress={() => void setFilePaused(file.id, !file.isPaused)}>
          {file.isPaused ? words.resumeOne : words.pauseOne}
        </Button>
      </div>
    )
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      {file.bytesName === undefined ? null : (
        <>
          <Button size="sm" onPress={() => void retry(file.id)}>
            {photoMessages.tryAgain}
          </Button>
          <Button size="sm" onPress={() => void save()}>
            {photoMessages.saveCopy}
          </Button>
        </>
      )}
      <Button size="sm" tone="quiet" onPress={discarding.ask}>
        {words.discard}
      </Button>
      <ConfirmDialog
        title={words.discardTitle}
        isOpen={discarding.isAsked}
        onClose={discarding.close}
        confirmLabel={words.discard}
        isDanger
        isPending={discarding.isBusy}
        onConfirm={discarding.confirm}
      >
        <p>{words.discardDetail}</p>
        {discarding.error ? <ErrorNotice error={discarding.error} /> : null}
      </ConfirmDialog>
    </div>
  )
}
