import type { Setting } from '@holdfast/protocol'

/** Hides a text for viewers, unless it is the default: it may be an address, a name or a path. */
export function maskSetting(setting: Setting): Setting {
  const { kind, value, default: fallback } = setting
  const isHarmless = kind === 'switch' || kind === 'number' || value === null || value === fallback
  return isHarmless ? setting : { ...setting, value: null, isHidden: true }
}
