import type { JSX, ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

export const PALETTE = ['coral', 'amber', 'olive', 'green', 'teal', 'blue', 'violet', 'pink', 'slate', 'brown'] as const
export type PaletteColour = (typeof PALETTE)[number]

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

/** Fill and text of a palette colour; every pair is at least 5.7 : 1. */
export function paletteClass(colour: PaletteColour): string {
  return FILLS[colour]
}

/** A colour for a word, the same on every device. */
export function paletteOf(word: string): PaletteColour {
  let hash = 0
  for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return PALETTE[hash % PALETTE.length] ?? 'slate'
}

/** A choice, a state or a tag: a word on a soft fill. */
export function Chip({
  colour,
  icon,
  children,
}: {
  /** Without one it follows from the word. */
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
