import { useAttachmentFile } from '@holdfast/react'
import { isUnsent } from '@holdfast/client'
import { ChevronLeft, ChevronRight, PenLine, Trash2, X, ZoomIn, ZoomOut } from 'lucide-react'
import {
  type JSX,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatMoment } from '../../lib/format.ts'
import type { PhotoTable } from '../../lib/data/photo-table.ts'
import { addShape, parseMarks } from '../../lib/photos/marks.ts'
import { useChangeMarks } from '../../lib/photos/use-change-marks.ts'
import { useMayChange, useMayDelete } from '../../lib/photos/use-may-change-photo.ts'
import type { Photo, PhotoEdits } from '../../lib/photos/use-photos.ts'
import { isVideo } from '../../lib/is-video.ts'
import { drawingMessages } from '../../messages/drawing.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { photoViewerMessages as viewerWords } from '../../messages/photo-viewer.ts'
import { videoMessages } from '../../messages/videos.ts'
import { PhotoPicture } from './photo-picture.tsx'
import { PhotoTools } from './photo-tools.tsx'
import type { Tool } from './use-drawing.ts'
import { type PhotoZoom, usePhotoZoom } from './use-photo-zoom.ts'
import { VideoPicture } from './video-picture.tsx'

export interface PhotoViewerProps {
  readonly photos: readonly Photo[]
  readonly openId: string
  readonly table: PhotoTable
  readonly edits: PhotoEdits
  /** False: the rules of the record forbid it. */
  readonly mayChange?: boolean
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
}

/** Shows one photo full-window. Arrow keys and swipes change it, Escape closes, wheel, keys and double tap zoom, fingers draw. */
export function PhotoViewer(props: PhotoViewerProps): JSX.Element | null {
  const { photos, openId, onOpen, onClose } = props
  const index = photos.findIndex(({ id }) => id === openId)
  const photo = photos[index]
  const go = (step: number): void => {
    const next = photos[index + step]
    if (next) onOpen(next.id)
  }
  const zoom = usePhotoZoom(openId, go)
  const viewer = useRef<HTMLElement>(null)
  const [drawing, setDrawing] = useState<{ readonly id: string; readonly tool: Tool }>()
  const tool = drawing?.id === openId ? drawing.tool : undefined
  const setTool = (next: Tool | undefined): void => {
    // The tools unmount with the focus in them. On a button the focus would open a tooltip, which would take the next Escape.
    if (next === undefined) viewer.current?.focus()
    setDrawing(next && { id: openId, tool: next })
  }
  const onKeyDown = useViewerKeys(
    viewer,
    {
      '+': () => zoom.by(1.5),
      '=': () => zoom.by(1.5),
      '-': () => zoom.by(1 / 1.5),
      '0': zoom.reset,
      ...(tool === undefined
        ? { ArrowLeft: () => go(-1), ArrowRight: () => go(1) }
        : { Escape: () => setTool(undefined) }),
    },
    onClose,
  )
  if (!photo) return null
  const shared = { photo, zoom, tool, setTool, place: index + 1, after: photos[index + 1] ?? photos[index - 1] }
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      className="fixed inset-0 z-50 h-(--visual-viewport-height) bg-bg data-entering:animate-fade"
    >
      <Modal className="size-full">
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the dialog, wherever the focus is in it */}
        <div className="size-full" onKeyDown={onKeyDown}>
          <AriaDialog
            ref={viewer}
            aria-label={isVideo(photo.media_type) ? videoMessages.viewer : viewerWords.viewer}
            className="flex size-full flex-col outline-none"
          >
            <OpenPhoto {...props} {...shared}>
              <Step label={viewerWords.previous} side="left" isShown={!tool && index > 0} onPress={() => go(-1)} />
              <Step
                label={viewerWords.next}
                side="right"
                isShown={!tool && index < photos.length - 1}
                onPress={() => go(1)}
              />
            </OpenPhoto>
          </AriaDialog>
        </div>
      </Modal>
    </ModalOverlay>
  )
}

interface OpenPhotoProps extends PhotoViewerProps {
  readonly photo: Photo
  readonly place: number
  /** The photo shown after this one is deleted. */
  readonly after: Photo | undefined
  readonly zoom: PhotoZoom
  /** `undefined`: drawing is off. */
  readonly tool: Tool | undefined
  readonly setTool: (tool: Tool | undefined) => void
}

function OpenPhoto(props: OpenPhotoProps & { readonly children: ReactNode }): JSX.Element {
  const { photo, photos, place, table, edits, zoom, tool, setTool, onClose } = props
  const { file } = useAttachmentFile(photo.id, { fetches: () => false })
  const rights = useMayChange(table, photo, file)
  const marks = parseMarks(photo.annotation) ?? []
  const changeMarks = useChangeMarks(table)
  const isFilm = isVideo(photo.media_type)
  const numbered = (isFilm ? videoMessages.videoOf : words.photoOf)(place, photos.length)
  const name = photo.caption ?? numbered
  return (
    <>
      <div className="flex shrink-0 items-center gap-1 border-b border-border px-3 py-1.5">
        <p role="status" className="flex-1 text-small text-muted tabular-nums">
          {numbered}
        </p>
        {isFilm ? null : <ZoomButtons zoom={zoom} />}
        {props.mayChange !== false && rights.mayDraw && !isFilm ? (
          <IconButton
            label={drawingMessages.draw}
            icon={<PenLine size={18} aria-hidden />}
            isActive={tool !== undefined}
            isDisabled={file?.bytesName === undefined}
            onPress={() => setTool(tool === undefined ? 'circle' : undefined)}
          />
        ) : null}
        {props.mayChange !== false ? <DeleteButton key={photo.id} {...props} /> : null}
        <IconButton label={viewerWords.close} icon={<X size={18} aria-hidden />} onPress={onClose} />
      </div>
      {tool === undefined ? null : (
        <PhotoTools
          tool={tool}
          canUndo={marks.length > 0}
          onTool={setTool}
          onUndo={() => void changeMarks(photo.id, (drawn) => drawn.slice(0, -1))}
          onDone={() => setTool(undefined)}
        />
      )}
      <div className="relative min-h-0 flex-1 bg-sunken">
        {isFilm ? (
          <VideoPicture photo={photo} name={name} />
        ) : (
          <PhotoPicture
            photo={photo}
            zoom={zoom}
            name={name}
            tool={tool}
            onShape={(shape) => void changeMarks(photo.id, (drawn) => addShape(drawn, shape))}
          />
        )}
        {props.children}
      </div>
      <Facts key={photo.id} photo={photo} mayCaption={props.mayChange !== false && rights.mayCaption} edits={edits} />
    </>
  )
}

function ZoomButtons({ zoom }: { readonly zoom: PhotoZoom }): JSX.Element {
  return (
    <>
      <IconButton
        label={viewerWords.zoomOut}
        icon={<ZoomOut size={18} aria-hidden />}
        isDisabled={!zoom.isZoomed}
        onPress={() => zoom.by(1 / 1.5)}
      />
      <IconButton label={viewerWords.zoomIn} icon={<ZoomIn size={18} aria-hidden />} onPress={() => zoom.by(1.5)} />
    </>
  )
}

/** Handles the viewer's keys wherever the focus is, because a focused button may unmount with its photo. */
function useViewerKeys(
  viewer: RefObject<HTMLElement | null>,
  actions: Readonly<Record<string, () => void>>,
  onClose: () => void,
): (event: KeyboardEvent) => void {
  const onLostKey = useEffectEvent((event: globalThis.KeyboardEvent): void => {
    if (event.target !== document.body) return
    viewer.current?.focus()
    const act = actions[event.key] ?? (event.key === 'Escape' ? onClose : undefined)
    act?.()
  })
  useEffect(() => {
    document.addEventListener('keydown', onLostKey)
    return () => document.removeEventListener('keydown', onLostKey)
  }, [])
  return (event) => {
    // In a focused video, arrow keys belong to the video, as in a text.
    const isOwn = event.target instanceof HTMLInputElement || event.target instanceof HTMLVideoElement
    const act = isOwn ? undefined : actions[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
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

/** Caption and time. The caption is stored on blur. */
function Facts({
  photo,
  mayCaption,
  edits,
}: {
  readonly photo: Photo
  readonly mayCaption: boolean
  readonly edits: PhotoEdits
}): JSX.Element {
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
          label={viewerWords.caption}
          placeholder={viewerWords.captionHint}
          value={caption}
          maxLength={500}
          onChange={setCaption}
          onBlur={() => void save()}
          errorMessage={isUnstored ? viewerWords.captionNotStored : undefined}
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

function DeleteButton({ photo, after, table, edits, onOpen, onClose }: OpenPhotoProps): JSX.Element | null {
  const { file } = useAttachmentFile(photo.id, { fetches: () => false })
  const mayDelete = useMayDelete(table, photo, file)
  const [isAsked, setAsked] = useState(false)
  const remove = async (): Promise<void> => {
    const isStored = await edits.remove(photo.id)
    setAsked(false)
    if (!isStored) return onClose() // the shell reports the reason
    showToast({ text: isVideo(photo.media_type) ? videoMessages.deleted : viewerWords.deleted })
    if (after) onOpen(after.id)
    else onClose()
  }
  if (!mayDelete) return null
  return (
    <>
      <IconButton
        label={viewerWords.delete}
        icon={<Trash2 size={18} aria-hidden />}
        onPress={({ target }) => {
          // Returns the focus to the viewer, because this button may unmount with its photo.
          target.closest<HTMLElement>('[role="dialog"]')?.focus()
          setAsked(true)
        }}
      />
      <ConfirmDialog
        title={isVideo(photo.media_type) ? videoMessages.deleteTitle : viewerWords.deleteTitle}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        confirmLabel={viewerWords.delete}
        isDanger
        onConfirm={() => void remove()}
      >
        <p>{viewerWords.deleteDetail}</p>
        {file && isUnsent(file) ? <p className="pt-2 font-medium text-danger">{words.deleteUnsent}</p> : null}
      </ConfirmDialog>
    </>
  )
}
