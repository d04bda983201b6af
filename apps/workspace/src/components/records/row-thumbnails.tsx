import type { FileEntry } from '@holdfast/client'
import { Image } from 'lucide-react'
import type { JSX } from 'react'
import { cx } from '../../lib/cx.ts'
import { type FileLooks, fileLooks } from '../../lib/photos/file-looks.ts'
import { type RowPhotos, SHOWN_MAX } from '../../lib/photos/use-row-photos.ts'
import { useRowThumbnail } from '../../lib/photos/use-thumbnail.ts'
import { isVideo } from '../../lib/is-video.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { StateGlyph } from '../state-glyph.tsx'

/** Announced by the row's mark; available photos need none. */
const MARKED: Partial<Record<FileEntry['state'], string>> = {
  uploading: 'text-info',
  refused: 'text-danger',
  elsewhere: 'text-muted',
}

const pictureClass = 'relative block overflow-hidden rounded-sm border border-border bg-sunken'

/**
 * A row's first photos and the number of further ones. Visual only: the row announces the count.
 *
 * @param side - of a thumbnail in pixels
 */
export function RowThumbnails({
  photos,
  side,
  max = SHOWN_MAX,
}: {
  readonly photos: RowPhotos
  readonly side: number
  readonly max?: number
}): JSX.Element {
  const places = Math.min(photos.count, max)
  const shown = photos.files.slice(0, places)
  const others = photos.count - places
  return (
    <span aria-hidden className="relative ml-auto flex shrink-0 items-center gap-1 pl-2">
      {shown.map((file) => (
        <Thumbnail key={file.id} file={file} side={side} />
      ))}
      {/* Reserves space for files not known yet. */}
      {Array.from({ length: places - shown.length }, (_, index) => (
        <span key={index} className={pictureClass} style={{ width: side, height: side }}>
          <PhotoMark />
        </span>
      ))}
      {max > 1 ? (
        // Reserves space, to align thumbnails across rows.
        <span className="w-6 text-small text-muted tabular-nums">{others > 0 ? words.more(others) : null}</span>
      ) : others > 0 ? (
        <span className="absolute right-0 bottom-0 rounded-tl-sm rounded-br-sm bg-raised/92 px-1 text-[0.6875rem] leading-4 tabular-nums">
          {words.more(others)}
        </span>
      ) : null}
    </span>
  )
}

function Thumbnail({ file, side }: { readonly file: FileEntry; readonly side: number }): JSX.Element {
  const picture = useRowThumbnail(file)
  const looks = fileLooks(file, undefined)
  const tone = MARKED[file.state]
  return (
    <span data-photo-state={file.state} className={pictureClass} style={{ width: side, height: side }}>
      {picture ? <img src={picture.url} alt="" draggable={false} className="size-full object-cover" /> : null}
      {isVideo(file.mediaType) ? <FilmMark isOver={picture !== undefined} /> : picture ? null : <PhotoMark />}
      {tone === undefined || looks === undefined ? null : <Mark looks={looks} tone={tone} />}
    </span>
  )
}

/** Placeholder for a missing thumbnail. */
function PhotoMark(): JSX.Element {
  return (
    <span className="absolute inset-0 grid place-items-center text-subtle">
      <Image size={16} aria-hidden strokeWidth={1.25} />
    </span>
  )
}

/** Marks a video, with or without thumbnail. */
function FilmMark({ isOver }: { readonly isOver: boolean }): JSX.Element {
  return isOver ? (
    <span className="absolute bottom-0 left-0 rounded-tr-sm bg-raised/92 p-0.5 text-muted">
      <StateGlyph name="film" size={12} />
    </span>
  ) : (
    <span className="absolute inset-0 grid place-items-center text-muted">
      <StateGlyph name="film" size={18} />
    </span>
  )
}

function Mark({ looks, tone }: { readonly looks: FileLooks; readonly tone: string }): JSX.Element {
  return looks.progress === undefined ? (
    <span className={cx('absolute inset-0 grid place-items-center bg-raised/75', tone)}>
      <StateGlyph name={looks.glyph} size={14} />
    </span>
  ) : (
    <span className="absolute inset-x-0 bottom-0 h-1 bg-raised">
      <span className="block h-full origin-left bg-info" style={{ transform: `scaleX(${looks.progress})` }} />
    </span>
  )
}
