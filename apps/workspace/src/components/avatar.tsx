import type { JSX } from 'react'
import { cx } from '../lib/cx.ts'
import { paletteOf } from '../lib/palette.ts'
import { paletteClass } from './chip.tsx'

/** A person's initials on a colour derived from the name. Hidden from screen readers, because the name is beside it. */
export function Avatar({
  name,
  size = 'md',
}: {
  readonly name: string
  readonly size?: 'sm' | 'md' | 'lg'
}): JSX.Element {
  const dimension = { sm: 'size-5 text-[0.5625rem]', md: 'size-7 text-[0.6875rem]', lg: 'size-9 text-small' }[size]
  return (
    <span
      aria-hidden
      data-chip
      data-initials={initialsOf(name)}
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-full font-semibold before:content-[attr(data-initials)]',
        dimension,
        paletteClass(paletteOf(name)),
      )}
    />
  )
}

/** Returns the initials of first and last word: `Dana Okafor` → `DO`, `dana.okafor@x.example` → `DO`. */
export function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[\s._-]+/).filter((word) => word !== '')
  const first = words[0]?.[0] ?? '?'
  const last = words.length > 1 ? (words.at(-1)?.[0] ?? '') : ''
  return (first + last).toUpperCase()
}
