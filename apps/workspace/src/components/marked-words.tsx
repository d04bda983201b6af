import type { JSX } from 'react'
import { markWords } from '../lib/search/mark-words.ts'

/** A text with the words that were searched standing out. @param length - of the shown part around the first of them, in characters */
export function MarkedWords({
  text,
  words,
  length,
}: {
  readonly text: string
  readonly words: readonly string[]
  readonly length?: number
}): JSX.Element {
  return (
    <>
      {markWords(text, words, length).map((piece, index) =>
        piece.isFound ? (
          // The same pieces in the same places: a text is cut anew as a whole.
          // oxlint-disable-next-line react/no-array-index-key
          <mark key={index} className="rounded-xs bg-accent-soft text-inherit forced:bg-[Mark]">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  )
}
