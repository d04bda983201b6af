import type { JSX } from 'react'
import { gridMessages as words } from '../../messages/grid.ts'
import { StateGlyph } from '../state-glyph.tsx'

/** An overdue date among a record's facts, marked by text, shape and colour. */
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
