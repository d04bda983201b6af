const PALETTE = ['coral', 'amber', 'olive', 'green', 'teal', 'blue', 'violet', 'pink', 'slate', 'brown'] as const
export type PaletteColour = (typeof PALETTE)[number]

/** A colour for a word, the same on every device. */
export function paletteOf(word: string): PaletteColour {
  let hash = 0
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return PALETTE[hash % PALETTE.length] ?? 'slate'
}
