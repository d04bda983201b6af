import { errorMessage } from '@holdfast/protocol'
import { DeviceFull } from '@holdfast/client'
import { useAttachments, useValue } from '@holdfast/react'
import { Camera } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import { lateLayer } from '../../../components/late-content.tsx'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import type { PhotoTable } from '../../../lib/data/photo-table.ts'
import { notAdded } from '../../../lib/photos/not-added.ts'
import type { Photo, PhotoEdits } from '../../../lib/photos/use-photos.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { addPhotosMessages } from '../../../messages/add-photos.ts'
import { PhotoTile } from '../photo-tile.tsx'

const { Content: PhotoViewer } = lateLayer(async () => (await import('../photo-viewer.tsx')).PhotoViewer)

/** A large camera button and the photos taken with it. */
export function PhotoTaker({
  table,
  photos,
  edits,
  caption,
  isReadOnly = false,
  isFull = false,
  onTaken,
  onBusy,
}: {
  readonly table: PhotoTable
  readonly photos: readonly Photo[]
  readonly edits: PhotoEdits
  readonly caption?: string
  readonly isReadOnly?: boolean
  /** Whether the limit of photos is reached. */
  readonly isFull?: boolean
  readonly onTaken?: (ids: readonly string[]) => void
  /** Called when photo preparation starts or ends. */
  readonly onBusy?: ((isBusy: boolean) => void) | undefined
}): JSX.Element {
  const pause = useValue(useAttachments().pause)
  const input = useRef<HTMLInputElement>(null)
  const [openId, setOpenId] = useState<string>()
  const { isBusy, problem, take } = useTaking(edits, table, caption, { ...(onTaken && { onTaken }), onBusy })
  return (
    <div className="flex flex-col gap-3">
      {isReadOnly || isFull ? null : (
        <Button
          isFullWidth
          isPending={isBusy}
          className={photos.length === 0 ? 'h-32 flex-col border-dashed text-heading' : 'h-14 text-heading'}
          icon={<Camera size={photos.length === 0 ? 36 : 22} strokeWidth={1.75} aria-hidden />}
          onPress={() => input.current?.click()}
        >
          {photos.length === 0 ? words.takePhoto : words.morePhotos}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        tabIndex={-1}
        hidden
        data-testid="capture-photo"
        onChange={({ target }) => {
          void take([...(target.files ?? [])])
          target.value = '' // the same file may be chosen again
        }}
      />
      {problem === undefined ? null : <Notice tone="warning" role="alert" title={problem} />}
      {photos.length === 0 ? null : (
        <>
          <ul className="grid grid-cols-4 gap-2">
            {photos.map((photo, index) => (
              <li key={photo.id} className="min-w-0">
                <PhotoTile
                  {...{ photo, pause }}
                  place={index + 1}
                  count={photos.length}
                  onOpen={() => setOpenId(photo.id)}
                />
              </li>
            ))}
          </ul>
          <p role="status" className="text-body text-muted">
            {words.photosOf(photos.length)}
          </p>
        </>
      )}
      {openId === undefined ? null : (
        <PhotoViewer
          {...{ photos, openId, table, edits }}
          mayChange={!isReadOnly}
          onOpen={setOpenId}
          onClose={() => setOpenId(undefined)}
        />
      )}
    </div>
  )
}

interface Taking {
  readonly isBusy: boolean
  readonly problem: string | undefined
  readonly take: (files: readonly File[]) => Promise<void>
}

function useTaking(
  edits: PhotoEdits,
  { videoTypes }: PhotoTable,
  caption: string | undefined,
  { onTaken, onBusy }: Pick<Parameters<typeof PhotoTaker>[0], 'onTaken' | 'onBusy'>,
): Taking {
  const [isBusy, setIsBusy] = useState(false)
  const setBusy = (isBusyNow: boolean): void => {
    setIsBusy(isBusyNow)
    onBusy?.(isBusyNow)
  }
  const [problem, setProblem] = useState<string>()
  return {
    isBusy,
    problem,
    async take(files) {
      if (files.length === 0) return
      setBusy(true)
      setProblem(undefined)
      try {
        const { added, refused } = await edits.add(files, caption)
        if (refused.length > 0) setProblem(notAdded(refused, videoTypes))
        if (added.length > 0) onTaken?.(added)
      } catch (cause) {
        const reason = errorMessage(cause)
        setProblem(cause instanceof DeviceFull ? addPhotosMessages.full : addPhotosMessages.failed(reason))
      } finally {
        setBusy(false)
      }
    },
  }
}
