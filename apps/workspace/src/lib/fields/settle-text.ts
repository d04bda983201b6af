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
 */
export function settleText(base: string, text: string, stored: string): SettledText {
  if (stored === base) return { kind: 'text', text }
  const merged = mergeLines(base, text, stored)
  if (merged?.conflicts === 0) return { kind: 'text', text: merged.text }
  return { kind: 'conflict', conflict: { mine: text, theirs: stored, both: merged?.text ?? `${stored}\n${text}` } }
}
