import type { JSX } from 'react'
import { paletteClass } from '../../components/chip.tsx'
import { cx } from '../../lib/cx.ts'
import { choiceLooks } from '../../lib/fields/choice-looks.ts'
import type { PreviewLane, Template } from './template-file.ts'

const LANES = 4
const CARDS = 3

/** A small picture of the template's first board: a lane for each choice, a card for each sample record. */
export function TemplatePreview({ template: { lanes, tables } }: { readonly template: Template }): JSX.Element {
  return (
    <div aria-hidden className="flex h-28 gap-2 overflow-hidden rounded-t-lg border-b border-border bg-sunken p-3">
      {lanes.length > 0
        ? lanes.slice(0, LANES).map((lane) => <Lane key={lane.choice} lane={lane} />)
        : tables.slice(0, LANES).map((label) => <Card key={label} />)}
    </div>
  )
}

function Lane({ lane: { choice, label, records } }: { readonly lane: PreviewLane }): JSX.Element {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1.5">
      <span
        className={cx(
          'shrink-0 truncate rounded-full px-1.5 text-[10px] leading-4',
          paletteClass(choiceLooks(choice).colour),
        )}
      >
        {label}
      </span>
      {Array.from({ length: Math.min(CARDS, records) }, (_, at) => (
        <Card key={at} />
      ))}
    </div>
  )
}

function Card(): JSX.Element {
  return (
    <span className="flex shrink-0 flex-col gap-1 rounded-sm border border-border bg-raised p-1">
      <span className="h-1 w-4/5 rounded-full bg-control/50" />
      <span className="h-1 w-1/2 rounded-full bg-control/30" />
    </span>
  )
}
