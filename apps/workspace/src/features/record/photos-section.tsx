import { errorMessage } from '@holdfast/protocol'
import { type DragEvent, type JSX, useEffect, useEffectEvent, useId, useState } from 'react'
import { DeviceFull } from '@holdfast/client'
import { Notice } from '../../components/notice.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { cx } from '../../lib/cx.ts'
import { photoLinkOf, type PhotoTable } from '../../lib/data/photo-table.ts'
import { usePhotoTable } from '../../lib/photos/use-photo-table.ts'
import { useMayAddPhoto } from '../../lib/photos/may-add-photo.ts'
import { notAdded } from '../../lib/photos/not-added.ts'
import { type PhotoEdits, usePhotoEdits, usePhotos } from '../../lib/photos/use-photos.ts'
import { isVideo } from '../../lib/is-video.ts'
import { VIDEO_BYTES_MAX } from '../../lib/photos/videos.ts'
import { formatCount } from '../../lib/format.ts'
import { addPhotosMessages as words } from '../../messages/add-photos.ts'
import { videoMessages } from '../../messages/videos.ts'
import { PhotoAddButtons } from './photo-add-buttons.tsx'
import { PhotoGrid } from './photo-grid.tsx'

/** Limit of photos per record. */
const PHOTOS_MAX = 100

/** A record's photos with buttons to add more, or the photo that the record itself is. Renders nothing if such records have no photos. */
export function PhotosSection({
  table,
  recordId,
}: {
  readonly table: string
  readonly recordId: string
}): JSX.Element | null {
  const photoTable = usePhotoTable(table)
  const link = photoTable && photoLinkOf(photoTable, table)
  if (!photoTable || photoTable.isOfFields || link === undefined) return null
  if (table === photoTable.name) return <OwnPhoto key={recordId} table={photoTable} link={link} recordId={recordId} />
  return <Photos key={recordId} table={photoTable} link={link} recordId={recordId} />
}

interface PhotosProps {
  readonly table: PhotoTable
  readonly link: string
  readonly recordId: string
}

function OwnPhoto({ table, link, recordId }: PhotosProps): JSX.Element {
  const photos = usePhotos(table, link, recordId)
  const edits = usePhotoEdits(table, link, recordId)
  return <PhotoGrid table={table} photos={photos} edits={edits} isLarge />
}

function Photos({ table, link, recordId }: PhotosProps): JSX.Element {
  const photos = usePhotos(table, link, recordId)
  const edits = usePhotoEdits(table, link, recordId)
  const { videoTypes } = table
  const takesVideos = videoTypes.size > 0
  const adding = useAdding(edits, videoTypes, photos.length)
  const heading = useId()
  const { mayAdd: canAdd, mayTry, isAsking, isRefused } = useMayAddPhoto(table, link, recordId)
  // Files given while the right is being found out are added: the server decides about each.
  const drop = useDrop(mayTry, videoTypes, adding.add)
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
        <h3 id={heading} className="flex flex-1 items-baseline gap-2 text-heading whitespace-nowrap">
          {takesVideos ? videoMessages.title : words.title}
          <span className="text-small font-regular text-muted tabular-nums">
            {photos.length === 0 ? null : formatCount(photos.length)}
          </span>
        </h3>
        {canAdd || isAsking ? (
          <PhotoAddButtons videoTypes={videoTypes} onFiles={adding.add} isDisabled={isAsking || adding.count > 0} />
        ) : null}
      </div>
      {isRefused ? <p className="text-small text-muted">{words.mayNotAdd}</p> : null}
      {adding.problem === undefined ? null : <Notice tone="warning" role="alert" title={adding.problem} />}
      {photos.length === 0 && adding.count === 0 ? (
        <NoPhotos words={takesVideos ? videoMessages : words} canAdd={canAdd || isAsking} />
      ) : null}
      <PhotoGrid table={table} photos={photos} edits={edits} isAdding={adding.count > 0} />
      {canAdd && takesVideos ? <p className="text-small text-muted">{videoMessages.detail(VIDEO_BYTES_MAX)}</p> : null}
      <VisuallyHidden>
        <span role="status">{adding.count > 0 ? adding.words.preparing(adding.count) : adding.done}</span>
      </VisuallyHidden>
    </section>
  )
}

function NoPhotos({
  words: { none, noneDetail, placeDetail },
  canAdd,
}: {
  readonly words: Readonly<Record<'none' | 'noneDetail' | 'placeDetail', string>>
  readonly canAdd: boolean
}): JSX.Element {
  return (
    <p className="text-small text-muted">
      {none} {canAdd ? <span className="coarse:hidden">{noneDetail}</span> : null} {canAdd ? placeDetail : null}
    </p>
  )
}

interface Adding {
  /** Number of files being prepared. */
  readonly count: number
  /** Texts that report on them. */
  readonly words: Pick<typeof words, 'preparing' | 'added'>
  readonly problem: string | undefined
  /** Screen reader announcement when they are ready. */
  readonly done: string
  readonly add: (files: readonly File[]) => void
}

function useAdding(edits: PhotoEdits, videoTypes: ReadonlySet<string>, there: number): Adding {
  const [count, setCount] = useState(0)
  const [hasVideos, setHasVideos] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [done, setDone] = useState('')
  const run = async (files: readonly File[]): Promise<void> => {
    const hasVideo = files.some(({ type }) => isVideo(type))
    setCount(files.length)
    setHasVideos(hasVideo)
    setProblem(undefined)
    try {
      const { added, refused } = await edits.add(files)
      if (refused.length > 0) setProblem(notAdded(refused, videoTypes))
      if (added.length > 0) setDone((hasVideo ? videoMessages : words).added(added.length))
    } catch (cause) {
      const reason = errorMessage(cause)
      setProblem(cause instanceof DeviceFull ? words.full : words.failed(reason))
    } finally {
      setCount(0)
    }
  }
  return {
    count,
    words: hasVideos ? videoMessages : words,
    problem,
    done,
    add(files) {
      if (files.length === 0) return
      if (there + files.length > PHOTOS_MAX) setProblem(words.tooMany(PHOTOS_MAX))
      else void run(files)
    },
  }
}

/** Handles files dropped on the section, or pasted anywhere except into a field. */
function useDrop(
  isOn: boolean,
  videoTypes: ReadonlySet<string>,
  onFiles: (files: readonly File[]) => void,
): { readonly isOver: boolean; readonly handlers: object } {
  const [isOver, setOver] = useState(false)
  const takeFrom = useEffectEvent((event: ClipboardEvent) => {
    const files = filesOf(event.clipboardData, videoTypes.size > 0)
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  })
  // The page receives pasted files, whatever has the focus.
  useEffect(() => {
    if (!isOn) return
    const onPaste = (event: ClipboardEvent): void => {
      const target = event.target as HTMLElement | null
      if (target?.closest('input, textarea, [contenteditable=true], [role=grid]')) return
      takeFrom(event)
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
        onFiles([...event.dataTransfer.files]) // files that are not accepted are reported, not silently dropped
      },
    },
  }
}

function filesOf(data: DataTransfer | null, withVideos: boolean): readonly File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/') || (withVideos && isVideo(type)))
}
