import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from './local-value.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export const DENSITIES = ['compact', 'standard', 'relaxed'] as const
export type Theme = (typeof THEMES)[number]
export type Density = (typeof DENSITIES)[number]

/** How the app looks and behaves on this device. */
export interface Appearance {
  readonly theme: Theme
  /** `undefined`: standard with a mouse, relaxed under a finger. */
  readonly density?: Density | undefined
  readonly motion: 'system' | 'reduced'
  /** Single-letter shortcuts; some people's speech input triggers them by accident. */
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

/** Changes some of it, keeps it on this device and applies it at once. */
export function setAppearance(change: Partial<Appearance>): void {
  useAppearance.setState(change)
  const next = useAppearance.getState()
  stored.write(next)
  applyAppearance(next)
}

/** Puts the appearance on the document; `public/theme.js` does the same before the first paint. */
function applyAppearance({ theme, density, motion }: Appearance): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
  if (density === undefined) delete dataset['density']
  else dataset['density'] = density
  if (motion === 'system') delete dataset['motion']
  else dataset['motion'] = motion
}
