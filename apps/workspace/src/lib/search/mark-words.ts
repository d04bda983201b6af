/** A stretch of a text, and whether it is one of the words that were searched. */
export interface MarkedText {
  readonly text: string
  readonly isFound: boolean
}

/** Characters before the first found word when a long text is cut. */
const LEAD = 40

/**
 * Cuts a text into found words and what lies between. Letters are compared without regard to case.
 *
 * @param length - of the part of the text around the first found word that is returned, in characters; the whole without it
 */
export function markWords(text: string, words: readonly string[], length = Infinity): readonly MarkedText[] {
  const whole = text.replaceAll(/\s+/g, ' ')
  const found = words.filter((word) => word !== '').map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  if (found.length === 0) return cut(whole, 0, length)
  const pattern = new RegExp(found.toSorted((a, b) => b.length - a.length).join('|'), 'giu')
  const start = Math.max(0, whole.search(pattern) - LEAD)
  return cut(whole, whole.length <= length ? 0 : start, length).flatMap((piece) => markAll(piece.text, pattern))
}

function cut(text: string, start: number, length: number): readonly MarkedText[] {
  if (text.length <= length) return [{ text, isFound: false }]
  // Not half of a letter that is two code units.
  const part = text.slice(start, start + length).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return [{ text: `${start > 0 ? '…' : ''}${part}${start + length < text.length ? '…' : ''}`, isFound: false }]
}

function markAll(text: string, pattern: RegExp): readonly MarkedText[] {
  const pieces: MarkedText[] = []
  let end = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isFound: false })
    pieces.push({ text: match[0], isFound: true })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isFound: false })
  return pieces
}
