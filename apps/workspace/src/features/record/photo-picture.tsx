import { useAttachment, useAttachments, useValue } from '@holdfast/react'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import { fileLooks } from '../../lib/photos/file-looks.ts'
import { type Marks, parseMarks, type Shape } from '../../lib/photos/marks.ts'
import type { Photo } from '../../lib/photos/use-photos.ts'
import { photoMessages as words } from '../../messages/photos.ts'
import { PhotoMarks } from './photo-marks.tsx'
import { type PhotoSize, type Tool, useDrawing } from './use-drawing.ts'
import type { PhotoZoom } from './use-photo-zoom.ts'

const NO_MARKS: Marks = []

/** The viewer's photo with its marks, or the reason why it is not on this device. */
export function PhotoPicture({
  photo,
  zoom,
  name,
  tool,
  onShape,
}: {
  readonly photo: Photo
  readonly zoom: PhotoZoom
  readonly name: string
  /** `undefined`: touch zooms and swipes; otherwise it draws. */
  readonly tool: Tool | undefined
  readonly onShape: (shape: Shape) => void
}): JSX.Element {
  const { url } = useAttachment(photo.id)
  const [loaded, setLoaded] = useState<{ readonly url: string; readonly size: PhotoSize }>()
  const size = loaded !== undefined && loaded.url === url ? loaded.size : undefined
  const frame = useRef<HTMLDivElement>(null)
  const drawing = useDrawing(tool, size, frame, onShape)
  // A photo that is still loading can also be swiped away.
  return (
    <div
      {...(tool === undefined ? zoom.handlers : drawing.handlers)}
      className={cx('absolute inset-0 touch-none overflow-hidden', tool !== undefined && 'cursor-crosshair')}
    >
      {url === undefined ? (
        <NotHere id={photo.id} />
      ) : (
        <div
          ref={frame}
          style={tool === undefined ? zoom.style : { transform: zoom.style.transform }}
          className="relative size-full"
        >
          <img
            src={url}
            alt={name}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setLoaded({ url, size: { width, height } })
            }
            className="size-full object-contain select-none"
          />
          {size ? (
            <PhotoMarks marks={parseMarks(photo.annotation) ?? NO_MARKS} draft={drawing.draft} size={size} />
          ) : null}
        </div>
      )}
    </div>
  )
}

/** Explains why a file is not on this device, and what the user can do. */
export function NotHere({ id }: { readonly id: string }): JSX.Element {
  const { file, retry } = useAttachment(id)
  const pause = useValue(useAttachments().pause)
  const looks = file && fileLooks(file, pause)
  return (
    <div className="grid size-full place-items-center px-6 text-center text-muted">
      <div role="status" className="flex flex-col items-center gap-3">
        {looks === undefined ? <Spinner size={24} /> : <StateGlyph name={looks.glyph} size={28} />}
        <p>{looks?.text ?? words.loading}</p>
        {file?.state === 'unavailable' ? <Button onPress={() => void retry()}>{words.tryAgain}</Button> : null}
      </div>
    </div>
  )
}
