import { useAttachments, useValue } from '@holdfast/react'
import { Camera, ImagePlus } from 'lucide-react'
import { type DragEvent, type JSX, lazy, Suspense, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { DeviceFull } from '@holdfast/client'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { cx } from '../../lib/cx.ts'
import type { PhotoTable } from '../../lib/data/photo-table.ts'
import { type AddOutcome, type PhotoEdits, usePhotoEdits, usePhotos } from '../../lib/photos/use-photos.ts'
import { usePhotoTable } from '../../lib/photos/use-photo-table.ts'
import { useMayAddPhoto } from '../../lib/photos/use-may-add-photo.ts'
import { formatCount } from '../../lib/format.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { PhotoTile } from './photo-tile.tsx'

const PhotoViewer = lazy(async () => ({ default: (await import('./photo-viewer.tsx')).PhotoViewer }))

/** Photos of one record. */
const PHOTOS_MAX = 100

/** The photos of a record and how to add some; nothing where the project has no photos of such records. */
export function PhotosSection({
  table,
  recordId,
}: {
  readonly table: string
  readonly recordId: string
}): JSX.Element | null {
  const photoTable = usePhotoTable()
  const link = photoTable?.links.get(table)
  if (!photoTable || link === undefined) return null
  return <Photos key={recordId} table={photoTable} link={link} recordId={recordId} />
}

function Photos({
  table,
  link,
  recordId,
}: {
  readonly table: PhotoTable
  readonly link: string
  readonly recordId: string
}): JSX.Element {
  const photos = usePhotos(table, link, recordId)
  const edits = usePhotoEdits(table, link, recordId)
  const adding = useAdding(edits, photos.length)
  const pause = useValue(useAttachments().pause)
  const [openId, setOpenId] = useState<string>()
  const heading = useId()
  const { mayAdd: canAdd, isRefused } = useMayAddPhoto(table, link, recordId)
  const drop = useDrop(canAdd, adding.add)
  return (
    <section
      aria-labelledby={heading}
      {...drop.handlers}
      className={cx(
        'relative flex flex-col gap-2 rounded-lg',
        drop.isOver && 'outline-2 outline-accent outline-dashed',
      )}
    >
      <div className="flex min-h-9 flex-wrap items-center gap-2">
        <h3 id={heading} className="flex flex-1 items-baseline gap-2 text-heading">
          {words.title}
          <span className="text-small font-regular text-muted tabular-nums">
            {photos.length === 0 ? null : formatCount(photos.length)}
          </span>
        </h3>
        {canAdd ? <AddButtons onFiles={adding.add} isDisabled={adding.count > 0} /> : null}
      </div>
      {isRefused ? <p className="text-small text-muted">{words.mayNotAdd}</p> : null}
      {adding.problem === undefined ? null : <Notice tone="warning" role="alert" title={adding.problem} />}
      {photos.length === 0 && adding.count === 0 ? (
        <p className="text-small text-muted">
          {words.none} {canAdd ? <span className="coarse:hidden">{words.noneDetail}</span> : null}{' '}
          {canAdd ? words.placeDetail : null}
        </p>
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(6.5rem,1fr))] gap-2">
          {photos.map((photo, index) => (
            <li key={photo.id} className="min-w-0">
              <PhotoTile
                photo={photo}
                place={index + 1}
                count={photos.length}
                pause={pause}
                onOpen={() => setOpenId(photo.id)}
              />
            </li>
          ))}
          {adding.count > 0 ? (
            <li className="grid aspect-square place-items-center rounded-md bg-sunken text-muted">
              <Spinner size={20} />
            </li>
          ) : null}
        </ul>
      )}
      <VisuallyHidden>
        <span role="status">{adding.count > 0 ? words.preparing(adding.count) : adding.done}</span>
      </VisuallyHidden>
      {openId === undefined ? null : (
        <Suspense>
          <PhotoViewer
            photos={photos}
            openId={openId}
            table={table}
            edits={edits}
            onOpen={setOpenId}
            onClose={() => setOpenId(undefined)}
          />
        </Suspense>
      )}
    </section>
  )
}

/** On a phone the camera and the photos that are there already are two ways; elsewhere there is one. */
function AddButtons({
  onFiles,
  isDisabled,
}: {
  readonly onFiles: (files: readonly File[]) => void
  readonly isDisabled: boolean
}): JSX.Element {
  const hasCamera = useMediaQuery('(pointer: coarse)')
  const camera = useRef<HTMLInputElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const input = { type: 'file', accept: 'image/*', multiple: true, tabIndex: -1, hidden: true } as const
  const take = (element: HTMLInputElement): void => {
    onFiles([...(element.files ?? [])])
    element.value = '' // the same file may be chosen again
  }
  return (
    <>
      {hasCamera ? (
        <Button
          size="sm"
          isDisabled={isDisabled}
          icon={<Camera size={16} aria-hidden />}
          onPress={() => camera.current?.click()}
        >
          {words.take}
        </Button>
      ) : null}
      <Button
        size="sm"
        isDisabled={isDisabled}
        icon={<ImagePlus size={16} aria-hidden />}
        onPress={() => picker.current?.click()}
      >
        {hasCamera ? words.choose : words.add}
      </Button>
      <input {...input} ref={camera} capture="environment" onChange={({ target }) => take(target)} />
      <input {...input} ref={picker} data-testid="photo-files" onChange={({ target }) => take(target)} />
    </>
  )
}

/** A sentence for each reason. */
function notAdded(refused: AddOutcome['refused']): string {
  const sentences = [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, files]) =>
    words.notAdded[reason](files.map(({ name }) => name)),
  )
  return sentences.join(' ')
}

interface Adding {
  /** Photos that are being prepared. */
  readonly count: number
  readonly problem: string | undefined
  /** Said to a screen reader once they are there. */
  readonly done: string
  readonly add: (files: readonly File[]) => void
}

function useAdding(edits: PhotoEdits, there: number): Adding {
  const [count, setCount] = useState(0)
  const [problem, setProblem] = useState<string>()
  const [done, setDone] = useState('')
  const run = async (files: readonly File[]): Promise<void> => {
    setCount(files.length)
    setProblem(undefined)
    try {
      const { added, refused } = await edits.add(files)
      if (refused.length > 0) setProblem(notAdded(refused))
      if (added.length > 0) setDone(words.added(added.length))
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      setProblem(cause instanceof DeviceFull ? words.full : words.failed(reason))
    } finally {
      setCount(0)
    }
  }
  return {
    count,
    problem,
    done,
    add(files) {
      if (files.length === 0) return
      if (there + files.length > PHOTOS_MAX) setProblem(words.tooMany(PHOTOS_MAX))
      else void run(files)
    },
  }
}

/** Pictures that are dropped on the section, or pasted anywhere but into a field. */
function useDrop(
  isOn: boolean,
  onFiles: (files: readonly File[]) => void,
): { readonly isOver: boolean; readonly handlers: object } {
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent(onFiles)
  // The page gets pasted files, whatever has the focus.
  useEffect(() => {
    if (!isOn) return
    const onPaste = (event: ClipboardEvent): void => {
      const target = event.target as HTMLElement | null
      if (target?.closest('input, textarea, [contenteditable=true], [role=grid]')) return
      const files = picturesOf(event.clipboardData)
      if (files.length === 0) return
      event.preventDefault()
      take(files)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [isOn])
  if (!isOn) return { isOver: false, handlers: {} }
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files]) // what is no picture is said, not dropped silently
      },
    },
  }
}

function picturesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
}
