import type { JSX } from 'react'
import { gridMessages as words } from '../../messages/grid.ts'
import { StateGlyph } from '../state-glyph.tsx'

/** A day that has passed, among other facts of a record: in words, by shape and by colour. */
export function LateFact({ text }: { readonly text: string }): JSX.Element {
  return (
    <span className="inline-flex items-center gap-1 text-danger tabular-nums">
      <StateGlyph name="clock" size={13} />
      {text}
      <span className="sr-only">{`, ${words.late}`}</span>
    </span>
  )
}
