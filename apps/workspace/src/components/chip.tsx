import type { JSX, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { type PaletteColour, paletteOf } from '../lib/palette.ts'

const FILLS: Readonly<Record<PaletteColour, string>> = {
  coral: 'bg-coral-soft text-coral',
  amber: 'bg-amber-soft text-amber',
  olive: 'bg-olive-soft text-olive',
  green: 'bg-green-soft text-green',
  teal: 'bg-teal-soft text-teal',
  blue: 'bg-blue-soft text-blue',
  violet: 'bg-violet-soft text-violet',
  pink: 'bg-pink-soft text-pink',
  slate: 'bg-slate-soft text-slate',
  brown: 'bg-brown-soft text-brown',
}

/** Fill and text classes of a palette colour; contrast at least 5.7:1. */
export function paletteClass(colour: PaletteColour): string {
  return FILLS[colour]
}

/** A choice, state or tag on a soft fill. */
export function Chip({
  colour,
  icon,
  children,
}: {
  /** Default: derived from the word. */
  readonly colour?: PaletteColour
  readonly icon?: ReactNode
  readonly children: string
}): JSX.Element {
  return (
    <span
      data-chip
      className={cx(
        'inline-flex h-5 max-w-full items-center gap-1 rounded-full px-2 text-small whitespace-nowrap',
        paletteClass(colour ?? paletteOf(children)),
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  )
}
