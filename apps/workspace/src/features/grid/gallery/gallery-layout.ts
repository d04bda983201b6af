/** Sizes of the parts of a card, in pixels. */
const COVER_PX = 144
const TITLE_PX = 60
const FACT_PX = 20
const MARK_PX = 24
export const GAP_PX = 12
/** Padding around the cards. */
export const EDGE_PX = 12

/** Limit of facts below the title. */
export const FACTS_MAX = 4

/** Narrowest card, for windows where two normal cards would not fit side by side. */
const CARD_PX_MIN = 224
const NARROW_CARD_PX_MIN = 148

export interface GalleryLayout {
  readonly columns: number
  readonly cardPx: number
  /** Height of a row of cards including the gap below. */
  readonly rowPx: number
  readonly coverPx: number
}

/** Returns the number of cards per row for a window width, and their size. */
export function galleryLayout(width: number, facts: number, hasCovers: boolean): GalleryLayout {
  const room = width - 2 * EDGE_PX + GAP_PX
  const fitting = Math.floor(room / (CARD_PX_MIN + GAP_PX))
  const columns = Math.max(1, fitting >= 2 ? fitting : Math.floor(room / (NARROW_CARD_PX_MIN + GAP_PX)))
  const coverPx = hasCovers ? COVER_PX : 0
  return {
    columns,
    cardPx: Math.floor(room / columns) - GAP_PX,
    coverPx,
    rowPx: coverPx + TITLE_PX + Math.min(facts, FACTS_MAX) * FACT_PX + MARK_PX + GAP_PX,
  }
}

/** Returns the position that an arrow key moves to; `undefined` for other keys and beyond the ends. */
export function placeAfter(key: string, place: number, columns: number, count: number): number | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key]
  if (step === undefined) return undefined
  const next = place + step
  return next >= 0 && next < count ? next : undefined
}
