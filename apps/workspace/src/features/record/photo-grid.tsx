import { useAttachments, useValue } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { lateLayer } from '../../components/late-content.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { cx } from '../../lib/cx.ts'
import type { PhotoTable } from '../../lib/data/photo-table.ts'
import type { Photo, PhotoEdits } from '../../lib/photos/use-photos.ts'
import { PhotoTile } from './photo-tile.tsx'

const { Content: PhotoViewer } = lateLayer(async () => (await import('./photo-viewer.tsx')).PhotoViewer)

/** Photos as tiles. Pressing one opens the viewer, which stays open until the last photo is deleted. */
export function PhotoGrid({
  table,
  photos,
  edits,
  mayChange = true,
  isAdding = false,
  isLarge = false,
}: {
  readonly table: PhotoTable
  readonly photos: readonly Photo[]
  readonly edits: PhotoEdits
  /** False: the rules of the record forbid it. Otherwise the server is asked about each photo. */
  readonly mayChange?: boolean
  /** More photos are being prepared. */
  readonly isAdding?: boolean
  readonly isLarge?: boolean
}): JSX.Element {
  const pause = useValue(useAttachments().pause)
  const [openId, setOpenId] = useState<string>()
  return (
    <>
      {photos.length > 0 || isAdding ? (
        <ul className={cx('grid gap-2', isLarge ? 'max-w-80' : 'grid-cols-[repeat(auto-fill,minmax(6.5rem,1fr))]')}>
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
          {isAdding ? (
            <li className="grid aspect-square place-items-center rounded-md bg-sunken text-muted">
              <Spinner size={20} />
            </li>
          ) : null}
        </ul>
      ) : null}
      {openId === undefined ? null : (
        <PhotoViewer
          photos={photos}
          openId={openId}
          table={table}
          edits={edits}
          mayChange={mayChange}
          onOpen={setOpenId}
          onClose={() => setOpenId(undefined)}
        />
      )}
    </>
  )
}
