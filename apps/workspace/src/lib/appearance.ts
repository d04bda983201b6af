import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from './local-value.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export const DENSITIES = ['compact', 'standard', 'relaxed'] as const
export type Theme = (typeof THEMES)[number]
export type Density = (typeof DENSITIES)[number]

/** Appearance and behaviour of the app on this device. */
export interface Appearance {
  readonly theme: Theme
  /** `undefined`: standard for mouse, relaxed for touch. */
  readonly density?: Density | undefined
  readonly motion: 'system' | 'reduced'
  /** Single-letter shortcuts, which speech input may trigger by accident. */
  readonly hasLetterShortcuts: boolean
}

const stored = localValue(
  'hf-appearance',
  v.object({
    theme: v.fallback(v.picklist(THEMES), 'system'),
    density: v.fallback(v.optional(v.picklist(DENSITIES)), undefined),
    motion: v.fallback(v.picklist(['system', 'reduced']), 'system'),
    hasLetterShortcuts: v.fallback(v.boolean(), true),
  }),
)

export const useAppearance = create<Appearance>(
  () => stored.read() ?? { theme: 'system', density: undefined, motion: 'system', hasLetterShortcuts: true },
)

/** Changes, stores and applies part of the appearance. */
export function setAppearance(change: Partial<Appearance>): void {
  useAppearance.setState(change)
  const next = useAppearance.getState()
  stored.write(next)
  applyAppearance(next)
}

/** Applies the appearance to the document, as `public/theme.js` does before the first paint. */
function applyAppearance({ theme, density, motion }: Appearance): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
  if (density === undefined) delete dataset['density']
  else dataset['density'] = density
  if (motion === 'system') delete dataset['motion']
  else dataset['motion'] = motion
}
