import type { TransferPause } from '@holdfast/client'
import { useAttachmentFile } from '@holdfast/react'
import { type JSX, useEffect, useEffectEvent, useRef } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import { type FileLooks, fileLooks } from '../../lib/photos/file-looks.ts'
import { useThumbnail } from '../../lib/photos/use-thumbnail.ts'
import { loadsUnasked, type Photo } from '../../lib/photos/use-photos.ts'
import { photoMessages as words } from '../../messages/photos.ts'

const TONES: Readonly<Record<FileLooks['tone'], string>> = {
  quiet: 'text-muted',
  info: 'text-info',
  warning: 'text-warning',
  danger: 'text-danger',
}

/** A photo in the grid of its record: the picture if it is here, and how it stands. */
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
  const looks = file && fileLooks(file, pause)
  const isHere = file?.bytesName !== undefined
  const name = photo.caption ?? words.photoOf(place, count)
  const wasPressed = useRef(false)
  const press = (): void => {
    if (isHere) onOpen()
    else if (!file) wasPressed.current = true
    else if (file.state === 'unavailable') void retry()
    else if (file.state !== 'elsewhere') void load()
  }
  // A page that was just opened does not know yet whether the picture is here: a press is held until it does.
  const pressHeld = useEffectEvent(press)
  const isKnown = file !== undefined
  useEffect(() => {
    if (!isKnown || !wasPressed.current) return
    wasPressed.current = false
    pressHeld()
  }, [isKnown])
  return (
    <AriaButton
      aria-label={[isHere ? words.open(name) : name, looks?.text].filter(Boolean).join('. ')}
      onPress={press}
      className="group relative block aspect-square w-full overflow-hidden rounded-md border border-border bg-sunken"
    >
      {thumbnail === undefined ? null : (
        <img
          src={thumbnail}
          alt=""
          draggable={false}
          className="size-full object-cover transition-transform group-data-hovered:scale-103"
        />
      )}
      {looks === undefined ? null : <State looks={looks} isOver={thumbnail !== undefined} />}
    </AriaButton>
  )
}

/** Over the picture as a strip, else in the middle of the empty tile. */
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
