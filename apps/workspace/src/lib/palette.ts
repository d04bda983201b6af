const PALETTE = ['coral', 'amber', 'olive', 'green', 'teal', 'blue', 'violet', 'pink', 'slate', 'brown'] as const
export type PaletteColour = (typeof PALETTE)[number]

/** Colours that people take for a warning, an error or a success are not given to words by chance. */
const CALM = ['olive', 'teal', 'blue', 'violet', 'slate', 'brown'] as const satisfies readonly PaletteColour[]

export function isPaletteColour(word: string): word is PaletteColour {
  return PALETTE.some((colour) => colour === word)
}

/** A colour for a word, the same on every device; none that has a meaning. */
export function paletteOf(word: string): PaletteColour {
  let hash = 0
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return CALM[hash % CALM.length] ?? 'slate'
}
