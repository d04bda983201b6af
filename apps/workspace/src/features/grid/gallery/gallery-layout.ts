/** Pixels of a card's parts. */
const COVER_PX = 144
const TITLE_PX = 60
const FACT_PX = 20
const MARK_PX = 24
export const GAP_PX = 12
/** Around the cards. */
export const EDGE_PX = 12

/** Facts under the title. */
export const FACTS_MAX = 4

/** Narrower cards are for windows in which two of the others would not stand side by side. */
const CARD_PX_MIN = 224
const NARROW_CARD_PX_MIN = 148

export interface GalleryLayout {
  readonly columns: number
  readonly cardPx: number
  /** Height of a row of cards with the gap below it. */
  readonly rowPx: number
  readonly coverPx: number
}

/** How many cards stand side by side in a window so wide, and how large they are. */
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

/** Where an arrow key goes from a card; `undefined` for other keys and past the ends. */
export function placeAfter(key: string, place: number, columns: number, count: number): number | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key]
  if (step === undefined) return undefined
  const next = place + step
  return next >= 0 && next < count ? next : undefined
}
