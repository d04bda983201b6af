import type { FileEntry, TransferPause } from '@holdfast/client'
import { useAttachmentFile } from '@holdfast/react'
import { type JSX, useEffect, useEffectEvent, useRef } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatCountdown } from '../../lib/format.ts'
import { type FileLooks, fileLooks } from '../../lib/photos/file-looks.ts'
import { useThumbnail } from '../../lib/photos/use-thumbnail.ts'
import { loadsUnasked, type Photo } from '../../lib/photos/use-photos.ts'
import { isVideo } from '../../lib/is-video.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { videoMessages } from '../../messages/videos.ts'

const TONES: Readonly<Record<FileLooks['tone'], string>> = {
  quiet: 'text-muted',
  info: 'text-info',
  warning: 'text-warning',
  danger: 'text-danger',
}

/** A photo in its record's grid: the picture, if it is on this device, and its state. */
export function PhotoTile({
  photo,
  place,
  count,
  pause,
  onOpen,
}: {
  readonly photo: Photo
  readonly place: number
  readonly count: number
  readonly pause: TransferPause
  readonly onOpen: () => void
}): JSX.Element {
  const { file, load, retry } = useAttachmentFile(photo.id, { fetches: loadsUnasked })
  const thumbnail = useThumbnail(file)
  const isFilm = isVideo(photo.media_type)
  // It loads by itself: what a press would do is not offered for the moment until then.
  const isWanted = file !== undefined && pause === undefined && loadsUnasked(file)
  const looks = file && fileLooks(isWanted ? { ...file, state: 'queued_download' } : file, pause)
  const isHere = file?.bytesName !== undefined
  const name = photo.caption ?? (isFilm ? videoMessages.videoOf(place, count) : words.photoOf(place, count))
  const film = isFilm ? filmFacts(file, thumbnail?.seconds) : undefined
  const wasPressed = useRef(false)
  const press = (): void => {
    if (isHere) onOpen()
    else if (!file) wasPressed.current = true
    else if (file.state === 'unavailable') void retry()
    else if (file.state !== 'elsewhere') void load()
  }
  // A page just opened does not yet know whether the picture is on this device, so a press waits until it does.
  const pressHeld = useEffectEvent(press)
  const isKnown = file !== undefined
  useEffect(() => {
    if (!isKnown || !wasPressed.current) return
    wasPressed.current = false
    pressHeld()
  }, [isKnown])
  const kind = isFilm && photo.caption !== null ? videoMessages.viewer : undefined
  return (
    <AriaButton
      aria-label={[isHere ? words.open(name) : name, kind, film?.text, looks?.text].filter(Boolean).join('. ')}
      onPress={press}
      className="group relative block aspect-square w-full overflow-hidden rounded-md border border-border bg-sunken"
    >
      {thumbnail === undefined ? null : (
        <img
          src={thumbnail.url}
          alt=""
          draggable={false}
          className="size-full object-cover transition-transform group-data-hovered:scale-103"
        />
      )}
      {film && thumbnail === undefined && looks === undefined ? (
        <span className="grid size-full place-items-center text-muted">
          <StateGlyph name="film" size={32} />
        </span>
      ) : null}
      {looks === undefined ? null : <State looks={looks} isOver={thumbnail !== undefined} />}
      {film ? (
        <span className="absolute top-1 left-1 flex items-center gap-1 rounded-sm bg-raised/92 px-1 text-small text-text tabular-nums">
          <StateGlyph name="film" size={14} /> {film.short}
        </span>
      ) : null}
    </AriaButton>
  )
}

/** Returns the duration of a video on this device, or the size of one that is not. */
function filmFacts(
  file: FileEntry | undefined,
  seconds: number | undefined,
): { readonly text?: string; readonly short?: string } {
  if (seconds !== undefined) {
    const short = formatCountdown(Math.round(seconds))
    return { text: videoMessages.length(short), short }
  }
  if (!file || file.bytesName !== undefined || file.size === 0) return {}
  return { text: formatBytes(file.size), short: formatBytes(file.size) }
}

/** The state: a strip over the picture, or the centre of an empty tile. */
function State({ looks, isOver }: { readonly looks: FileLooks; readonly isOver: boolean }): JSX.Element {
  const { glyph, text, short, tone, progress } = looks
  return (
    <span
      className={cx(
        'absolute inset-x-0 flex gap-1 p-1.5 text-left text-small',
        isOver ? 'bottom-0 items-center bg-raised/92' : 'inset-y-0 flex-col items-center justify-center text-center',
        TONES[tone],
      )}
    >
      <StateGlyph name={glyph} size={14} />
      <span className={isOver ? 'truncate' : 'line-clamp-4 min-w-0'}>{isOver ? short : text}</span>
      {progress === undefined ? null : (
        <span className="absolute inset-x-0 bottom-0 h-1 bg-sunken">
          <span className="block h-full origin-left bg-info" style={{ transform: `scaleX(${progress})` }} />
        </span>
      )}
    </span>
  )
}
