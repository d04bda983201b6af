import type { JSX } from 'react'
import { gridMessages as words } from '../../messages/grid.ts'
import { StateGlyph } from '../state-glyph.tsx'

/** A day that has passed, among other facts of a record: in words, by shape and by colour. */
export function LateFact({ text }: { readonly text: string }): JSX.Element {
  return (
    <span className="whitespace-nowrap text-danger tabular-nums">
      <span className="mr-1 inline-block align-[-0.125em]">
        <StateGlyph name="clock" size={13} />
      </span>
      {text}
      <span className="sr-only">{`, ${words.late}`}</span>
    </span>
  )
}
