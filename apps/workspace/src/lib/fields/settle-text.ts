import { mergeLines } from '@holdfast/protocol'

/** Two versions of a long text with conflicting lines. */
export interface TextsInConflict {
  readonly mine: string
  readonly theirs: string
  readonly both: string
}

/** Result of merging a long text with a concurrent change. */
export type SettledText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'conflict'; readonly conflict: TextsInConflict }

/**
 * Merges a text line by line with a concurrent version.
 *
 * @param base - the text before editing
 * @param stored - the current stored text
 * @param isLong - whether the text may have several lines
 */
export function settleText(base: string, text: string, stored: string, isLong = true): SettledText {
  if (stored === base) return { kind: 'text', text }
  const merged = mergeLines(base, text, stored)
  if (merged?.conflicts === 0) return { kind: 'text', text: merged.text }
  return { kind: 'conflict', conflict: { mine: text, theirs: stored, both: bothTexts(base, text, stored, isLong) } }
}

/** Returns the lines of both versions, the stored ones first; a short text stays one line. */
export function bothTexts(base: string, text: string, stored: string, isLong: boolean): string {
  if (!isLong && text !== '' && stored !== '') return `${stored} / ${text}`
  return mergeLines(base, text, stored)?.text ?? `${stored}\n${text}`
}
