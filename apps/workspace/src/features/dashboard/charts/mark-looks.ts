import type { PaletteColour } from '../../../lib/palette.ts'

/** Text colours of the palette; marks are filled with the current colour. */
const COLOURS: Readonly<Record<PaletteColour, string>> = {
  coral: 'text-coral',
  amber: 'text-amber',
  olive: 'text-olive',
  green: 'text-green',
  teal: 'text-teal',
  blue: 'text-blue',
  violet: 'text-violet',
  pink: 'text-pink',
  slate: 'text-slate',
  brown: 'text-brown',
}

/** Returns the classes of a filled mark. It keeps its colour in print and with forced colours. */
export function markClass(colour: PaletteColour): string {
  return `${COLOURS[colour]} bg-current forced-color-adjust-none [print-color-adjust:exact]`
}

export function inkClass(colour: PaletteColour): string {
  return `${COLOURS[colour]} forced-color-adjust-none`
}

/** Stripes of every other part, so that neighbours differ without their colours. */
export function stripes(index: number): { readonly backgroundImage: string } | undefined {
  return index % 2 === 0
    ? undefined
    : {
        backgroundImage:
          'repeating-linear-gradient(45deg, transparent 0 4px, color-mix(in srgb, var(--hf-bg) 38%, transparent) 4px 6px)',
      }
}

/** Dashes of lines, in SVG units of the screen. */
export const DASHES = ['', '6 3', '2 3', '8 3 2 3', '12 4', '1 4', '6 2 1 2 1 2', '3 6'] as const
