/** Part of a text, and whether it matches a searched word. */
export interface MarkedText {
  readonly text: string
  readonly isFound: boolean
}

/** Characters before the first match when truncating. */
const LEAD = 40

/**
 * Splits a text into matches and other parts, ignoring case.
 *
 * @param length - characters to return around the first match; default: everything
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
  // Do not split a surrogate pair.
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
