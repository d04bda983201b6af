import { type RefObject, useEffect, useRef, useState } from 'react'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { moveTile, resizeTile, type Tiles } from './layout-changes.ts'

/** The tiles as they are while the user moves and resizes them. */
export interface Arrangement {
  readonly tiles: Tiles
  /** What just happened, for screen readers. */
  readonly said: string
  readonly placeOf: (id: string) => number | undefined
  readonly moveBy: (id: string, places: number) => void
  /** Moves a tile to the place of another, until it is dropped. */
  readonly dragOver: (id: string, over: string) => void
  readonly resize: (id: string, width: number, height: number) => void
  /** Stores what was dragged. @param label - for "Undo …" */
  readonly drop: (label: string) => void
}

/**
 * Arranges tiles. Changes show at once and are stored when they end.
 *
 * @param onTiles - stores them; returns whether they are stored
 * @param list - the element with the tiles
 */
export function useArrangement(
  stored: Tiles,
  onTiles: ((tiles: Tiles, label: string) => Promise<boolean>) | undefined,
  list: RefObject<HTMLElement | null>,
): Arrangement {
  // Until the change is stored.
  const [draft, setDraft] = useState<{ readonly of: Tiles; readonly tiles: Tiles }>()
  const tiles = draft?.of === stored ? draft.tiles : stored
  const latest = useRef(tiles)
  const moved = useRef<string>(undefined)
  const [said, setSaid] = useState('')
  const order = tiles.map(({ id }) => id)
  const show = (next: Tiles): void => {
    latest.current = next
    setDraft({ of: stored, tiles: next })
  }
  const store = async (label: string): Promise<void> => {
    if ((await onTiles?.(latest.current, label)) !== true) setDraft(undefined)
  }
  const text = order.join()
  // A tile that moves in the document loses the focus.
  useEffect(() => {
    const id = moved.current
    if (id === undefined) return
    const handle = list.current?.querySelector<HTMLElement>(`[data-tile="${id}"] [data-move]`)
    // Both when the order changes and when it is stored.
    if (text !== '' && stored.length > 0) handle?.focus()
  }, [text, stored, list])
  return {
    tiles,
    said,
    placeOf: (id) => order.indexOf(id),
    moveBy: (id, places) => {
      const next = moveTile(tiles, order.indexOf(id), order.indexOf(id) + places)
      if (next === tiles) return
      show(next)
      moved.current = id
      setSaid(words.moved(next.findIndex((one) => one.id === id) + 1, tiles.length))
      void store(words.moveTile)
    },
    dragOver: (id, over) => {
      moved.current = undefined
      if (id !== over && order.includes(over)) show(moveTile(tiles, order.indexOf(id), order.indexOf(over)))
    },
    resize: (id, width, height) => {
      moved.current = undefined
      show(resizeTile(tiles, id, width, height))
      setSaid(words.resized(width, height))
    },
    drop: (label) => {
      if (latest.current !== stored) void store(label)
    },
  }
}
