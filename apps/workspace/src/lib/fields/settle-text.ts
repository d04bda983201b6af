import { mergeLines } from '@holdfast/protocol'

/** Two versions of a long text that have changed the same lines, and the lines of both. */
export interface TextsInConflict {
  readonly mine: string
  readonly theirs: string
  readonly both: string
}

/** What becomes of a long text that was changed elsewhere while it was written. */
export type SettledText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'conflict'; readonly conflict: TextsInConflict }

/**
 * Puts a text together with the one that came meanwhile, by lines.
 *
 * @param base - the text that the person began with
 * @param stored - the text that is there now
 */
export function settleText(base: string, text: string, stored: string): SettledText {
  if (stored === base) return { kind: 'text', text }
  const merged = mergeLines(base, text, stored)
  if (merged?.conflicts === 0) return { kind: 'text', text: merged.text }
  return { kind: 'conflict', conflict: { mine: text, theirs: stored, both: merged?.text ?? `${stored}\n${text}` } }
}
