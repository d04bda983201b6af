import { useAttachment, useAttachmentFile, useAttachments, useValue } from '@holdfast/react'
import { isUnsent } from '@holdfast/client'
import { ChevronLeft, ChevronRight, Trash2, X, ZoomIn, ZoomOut } from 'lucide-react'
import { type JSX, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatMoment } from '../../lib/format.ts'
import { fileLooks } from '../../lib/photos/file-looks.ts'
import type { PhotoTable } from '../../lib/data/photo-table.ts'
import { useMayCaption, useMayDelete } from '../../lib/photos/use-may-change-photo.ts'
import type { Photo, PhotoEdits } from '../../lib/photos/use-photos.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { usePhotoZoom } from './use-photo-zoom.ts'

export interface PhotoViewerProps {
  readonly photos: readonly Photo[]
  readonly openId: string
  readonly table: PhotoTable
  readonly edits: PhotoEdits
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
}

/** One photo over the whole window: arrows and swipes go on, Escape closes, wheel, keys and double tap zoom. */
export function PhotoViewer(props: PhotoViewerProps): JSX.Element | null {
  const { photos, openId, onOpen, onClose } = props
  const index = photos.findIndex(({ id }) => id === openId)
  const photo = photos[index]
  const go = (step: number): void => {
    const next = photos[index + step]
    if (next) onOpen(next.id)
  }
  const zoom = usePhotoZoom(openId, go)
  const actionOf = (key: string): (() => void) | undefined =>
    ({
      ArrowLeft: () => go(-1),
      ArrowRight: () => go(1),
      '+': () => zoom.by(1.5),
      '=': () => zoom.by(1.5),
      '-': () => zoom.by(1 / 1.5),
      '0': zoom.reset,
    })[key]
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = event.target instanceof HTMLInputElement ? undefined : actionOf(event.key)
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const viewer = useRef<HTMLElement>(null)
  const onLostKey = useEffectEvent((event: globalThis.KeyboardEvent): void => {
    if (event.target !== document.body) return
    viewer.current?.focus()
    if (event.key === 'Escape') onClose()
    else actionOf(event.key)?.()
  })
  // A button that has the focus may go with its photo; the keys go on.
  useEffect(() => {
    document.addEventListener('keydown', onLostKey)
    return () => document.removeEventListener('keydown', onLostKey)
  }, [])
  if (!photo) return null
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      className="fixed inset-0 z-50 h-(--visual-viewport-height) bg-bg data-entering:animate-fade"
    >
      <Modal className="size-full">
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the dialog, wherever the focus is in it */}
        <div className="size-full" onKeyDown={onKeyDown}>
          <AriaDialog ref={viewer} aria-label={words.viewer} className="flex size-full flex-col outline-none">
            <div className="flex shrink-0 items-center gap-1 border-b border-border px-3 py-1.5">
              <p role="status" className="flex-1 text-small text-muted tabular-nums">
                {words.photoOf(index + 1, photos.length)}
              </p>
              <IconButton
                label={words.zoomOut}
                icon={<ZoomOut size={18} aria-hidden />}
                isDisabled={!zoom.isZoomed}
                onPress={() => zoom.by(1 / 1.5)}
              />
              <IconButton label={words.zoomIn} icon={<ZoomIn size={18} aria-hidden />} onPress={() => zoom.by(1.5)} />
              <DeleteButton key={photo.id} photo={photo} {...props} after={photos[index + 1] ?? photos[index - 1]} />
              <IconButton label={words.close} icon={<X size={18} aria-hidden />} onPress={onClose} />
            </div>
            <div className="relative min-h-0 flex-1 bg-sunken">
              <Picture photo={photo} zoom={zoom} name={photo.caption ?? words.photoOf(index + 1, photos.length)} />
              <Step label={words.previous} side="left" isShown={index > 0} onPress={() => go(-1)} />
              <Step label={words.next} side="right" isShown={index < photos.length - 1} onPress={() => go(1)} />
            </div>
            <Facts key={photo.id} photo={photo} {...props} />
          </AriaDialog>
        </div>
      </Modal>
    </ModalOverlay>
  )
}

function Picture({
  photo,
  zoom,
  name,
}: {
  readonly photo: Photo
  readonly zoom: ReturnType<typeof usePhotoZoom>
  readonly name: string
}): JSX.Element {
  const { file, url, retry } = useAttachment(photo.id)
  const pause = useValue(useAttachments().pause)
  const looks = file && fileLooks(file, pause)
  // One that is still being loaded is swiped past as well.
  return (
    <div {...zoom.handlers} className="absolute inset-0 touch-none overflow-hidden">
      {url === undefined ? (
        <div className="grid size-full place-items-center px-6 text-center text-muted">
          <div role="status" className="flex flex-col items-center gap-3">
            {looks === undefined ? <Spinner size={24} /> : <StateGlyph name={looks.glyph} size={28} />}
            <p>{looks?.text ?? words.loading}</p>
            {file?.state === 'unavailable' ? <Button onPress={() => void retry()}>{words.tryAgain}</Button> : null}
          </div>
        </div>
      ) : (
        <img
          src={url}
          alt={name}
          draggable={false}
          style={zoom.style}
          className="size-full object-contain select-none"
        />
      )}
    </div>
  )
}

function Step({
  label,
  side,
  isShown,
  onPress,
}: {
  readonly label: string
  readonly side: 'left' | 'right'
  readonly isShown: boolean
  readonly onPress: () => void
}): JSX.Element | null {
  if (!isShown) return null
  const icon = side === 'left' ? <ChevronLeft size={22} aria-hidden /> : <ChevronRight size={22} aria-hidden />
  return (
    <span className={side === 'left' ? 'absolute top-1/2 left-2' : 'absolute top-1/2 right-2'}>
      <IconButton
        label={label}
        icon={icon}
        onPress={onPress}
        className="size-10 -translate-y-1/2 rounded-full border border-border bg-raised/90 text-text"
      />
    </span>
  )
}

/** Caption and time. A caption is written when its field is left. */
function Facts({ photo, table, edits }: PhotoViewerProps & { readonly photo: Photo }): JSX.Element {
  const { file } = useAttachmentFile(photo.id, { fetches: () => false })
  const mayCaption = useMayCaption(table, photo, file)
  const [caption, setCaption] = useState(photo.caption ?? '')
  const at = photo.taken_at === null ? undefined : momentOf(photo.taken_at)
  const [isUnstored, setUnstored] = useState(false)
  const save = async (): Promise<void> => {
    if (caption.trim() !== (photo.caption ?? '')) setUnstored(!(await edits.setCaption(photo.id, caption)))
  }
  return (
    <div className="flex shrink-0 flex-wrap items-end gap-x-6 gap-y-1 border-t border-border px-4 py-3">
      {mayCaption ? (
        <TextField
          label={words.caption}
          placeholder={words.captionHint}
          value={caption}
          maxLength={500}
          onChange={setCaption}
          onBlur={() => void save()}
          errorMessage={isUnstored ? words.captionNotStored : undefined}
          className="w-full max-w-xl"
        />
      ) : (
        <p className="text-body">{photo.caption}</p>
      )}
      {at === undefined ? null : (
        <time dateTime={at.toISOString()} className="pb-2 text-small text-muted">
          {formatMoment(at)}
        </time>
      )}
    </div>
  )
}

function DeleteButton({
  photo,
  after,
  table,
  edits,
  onOpen,
  onClose,
}: PhotoViewerProps & { readonly photo: Photo; readonly after: Photo | undefined }): JSX.Element | null {
  const { file } = useAttachmentFile(photo.id, { fetches: () => false })
  const mayDelete = useMayDelete(table, photo, file)
  const [isAsked, setAsked] = useState(false)
  const remove = async (): Promise<void> => {
    const isStored = await edits.remove(photo.id)
    setAsked(false)
    if (!isStored) return onClose() // the shell says why
    showToast({ text: words.deleted })
    if (after) onOpen(after.id)
    else onClose()
  }
  if (!mayDelete) return null
  return (
    <>
      <IconButton
        label={words.delete}
        icon={<Trash2 size={18} aria-hidden />}
        onPress={({ target }) => {
          // The focus comes back to the viewer: this button may go with its photo.
          target.closest<HTMLElement>('[role="dialog"]')?.focus()
          setAsked(true)
        }}
      />
      <ConfirmDialog
        title={words.deleteTitle}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        confirmLabel={words.delete}
        isDanger
        onConfirm={() => void remove()}
      >
        <p>{words.deleteDetail}</p>
        {file && isUnsent(file) ? <p className="pt-2 font-medium text-danger">{words.deleteUnsent}</p> : null}
      </ConfirmDialog>
    </>
  )
}
