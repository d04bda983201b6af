/** Names of colours, as `holdfast.fields` stores them. Each has a fill and a text colour for light and dark. */
export const PALETTE = ['coral', 'amber', 'olive', 'green', 'teal', 'blue', 'violet', 'pink', 'slate', 'brown'] as const
export type PaletteColour = (typeof PALETTE)[number]

/** Colours without a meaning such as warning, error or success. */
const CALM = ['olive', 'teal', 'blue', 'violet', 'slate', 'brown'] as const satisfies readonly PaletteColour[]

export function isPaletteColour(word: string): word is PaletteColour {
  return PALETTE.some((colour) => colour === word)
}

/** Returns a neutral colour for a word, equal on every device. */
export function paletteOf(word: string): PaletteColour {
  let hash = 0
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return CALM[hash % CALM.length] ?? 'slate'
}

/** Returns the neutral colour at a place in a list, starting again after the last. Undefined below 0. */
export function calmColourAt(place: number): PaletteColour | undefined {
  return CALM[place % CALM.length]
}
