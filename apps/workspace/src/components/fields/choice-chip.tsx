import type { JSX } from 'react'
import { choiceLooks, type ChoiceGlyph } from '../../lib/fields/choice-looks.ts'
import type { ChoiceWords } from '../../lib/data/column-words.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { Chip } from '../chip.tsx'

const SHAPES: Readonly<Record<ChoiceGlyph, JSX.Element>> = {
  empty: <circle cx="6" cy="6" r="4" />,
  quarter: (
    <>
      <circle cx="6" cy="6" r="4" />
      <path d="M6 6V2a4 4 0 0 1 4 4Z" fill="currentColor" stroke="none" />
    </>
  ),
  half: (
    <>
      <circle cx="6" cy="6" r="4" />
      <path d="M6 2a4 4 0 0 1 0 8Z" fill="currentColor" stroke="none" />
    </>
  ),
  full: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  check: <path d="m2.5 6.4 2.4 2.4 4.6-5.2" />,
  bar: (
    <>
      <circle cx="6" cy="6" r="4" />
      <path d="M3.6 6h4.8" />
    </>
  ),
  cross: <path d="m3 3 6 6M9 3 3 9" />,
  dot: <circle cx="6" cy="6" r="2" fill="currentColor" />,
}

/** A choice or state with shape, label and colour, equal everywhere. */
export function ChoiceChip({
  choice,
  among,
  words,
}: {
  readonly choice: string
  /** All choices of its field, which get different colours. */
  readonly among?: readonly string[] | undefined
  /** Labels and colours of the field's choices. */
  readonly words: ChoiceWords
}): JSX.Element {
  const { colour, glyph } = choiceLooks(choice, among, words.colours)
  return (
    <Chip
      colour={colour}
      icon={
        <svg
          width="12"
          height="12"
          viewBox="0 0 12 12"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          aria-hidden
        >
          {SHAPES[glyph]}
        </svg>
      }
    >
      {choiceWords(choice, words)}
    </Chip>
  )
}
