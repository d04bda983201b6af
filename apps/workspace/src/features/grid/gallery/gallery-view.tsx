import { type JSX, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { photoLinkOf } from '../../../lib/data/photo-table.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { useRowPhotos } from '../../../lib/photos/use-row-photos.ts'
import { galleryMessages as words } from '../../../messages/gallery.ts'
import type { KindProps } from '../kind-props.ts'
import { factFields, stateFieldOf } from '../record-words.ts'
import { rowsToDraw } from '../rows-to-draw.ts'
import { useGridScroll } from '../use-grid-scroll.ts'
import { GalleryCard } from './gallery-card.tsx'
import { EDGE_PX, FACTS_MAX, GAP_PX, galleryLayout, placeAfter } from './gallery-layout.ts'

/** Rows of cards rendered beyond the visible ones. */
const OVERSCAN = 2

/** The records of a view as cards with their first photo. Only cards near the viewport are rendered. */
export function GalleryView({ table, view, windows, state, marks }: KindProps): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null)
  const photoTable = usePhotoTable(table.name)
  const hasCovers = photoTable !== undefined && photoLinkOf(photoTable, table.name) !== undefined
  const stateField = stateFieldOf(view.shown)
  const facts = factFields(view.shown, stateField ? [stateField] : []).slice(0, FACTS_MAX)
  const [rowPx, setRowPx] = useState(galleryLayout(0, facts.length, hasCovers).rowPx)
  const scroll = useGridScroll(viewport, rowPx, 0)
  const layout = galleryLayout(scroll.width, facts.length, hasCovers)
  if (layout.rowPx !== rowPx) setRowPx(layout.rowPx)
  const { columns } = layout
  const count = state.rows ?? 0
  const { first: firstRow, last: lastRow } = rowsToDraw(scroll, OVERSCAN, Math.ceil(count / columns))
  const first = firstRow * columns
  const last = Math.min(count, (lastRow + 1) * columns) - 1
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the visible range depends on the count, too
  useEffect(() => windows?.show(first, Math.max(first, last)), [windows, first, last, count])
  const photos = useRowPhotos(table.name, (place) => windows?.row(place)?.id, first, last)
  const [active, setActive] = useState(0)
  const stop = active >= first && active <= last ? active : first
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, active, columns, count)
    const card = next === undefined ? null : viewport.current?.querySelector<HTMLElement>(`[data-place="${next}"]`)
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    card.focus()
  }
  const places = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  return (
    <div ref={viewport} className="min-h-0 flex-1 overflow-auto overscroll-contain bg-surface">
      <p className="sr-only" id="gallery-keys">
        {words.keys}
      </p>
      <ul
        aria-label={words.galleryOf(table.label)}
        aria-describedby="gallery-keys"
        className="relative"
        style={{ height: Math.ceil(count / columns) * layout.rowPx + 2 * EDGE_PX - GAP_PX }}
        onKeyDown={onKeyDown}
      >
        {places.map((place) => {
          const row = windows?.row(place)
          const left = EDGE_PX + (place % columns) * (layout.cardPx + GAP_PX)
          const top = EDGE_PX + Math.floor(place / columns) * layout.rowPx
          return (
            <li
              key={row?.id ?? place}
              aria-setsize={state.count ?? -1}
              aria-posinset={place + 1}
              className="absolute top-0 left-0 overflow-hidden rounded-lg border border-border bg-bg"
              style={{
                width: layout.cardPx,
                height: layout.rowPx - GAP_PX,
                transform: `translate(${left}px, ${top}px)`,
              }}
            >
              {row === undefined ? null : (
                <GalleryCard
                  {...{ row, place, facts, stateField }}
                  fields={view.shown}
                  coverPx={layout.coverPx}
                  mark={marks.get(row.id)}
                  photos={photos.get(row.id)}
                  isOpen={view.record === row.id}
                  isTabStop={place === stop}
                  onFocus={() => setActive(place)}
                  onOpen={() => view.openRecord(row.id)}
                />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
