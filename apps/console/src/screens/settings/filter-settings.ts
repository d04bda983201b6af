import type { Setting } from '@holdfast/protocol'

/** What the address of the screen keeps. */
export interface SettingFilter {
  readonly search?: string
  /** A part of the server, or {@link LIMITS}. */
  readonly group?: string
  /** Kind of an origin, or `set` for every one. */
  readonly origin?: string
}

/** The group of all limits and times, whatever part has them. */
export const LIMITS = 'limits'

/** Returns the options that a filter leaves. Words are found in names, descriptions, flags and variables. */
export function filterSettings(
  settings: readonly Setting[],
  { search = '', group = '', origin = '' }: SettingFilter,
): readonly Setting[] {
  const words = search.toLowerCase().split(/\s+/)
  return settings.filter((setting) => {
    const text = [setting.name, setting.description, setting.flag, setting.variable].join(' ').toLowerCase()
    if (!words.every((word) => text.includes(word))) return false
    if (group === LIMITS ? !isLimit(setting) : group !== '' && setting.group !== group) return false
    return origin === '' || (origin === 'set' ? setting.origin !== null : setting.origin?.kind === origin)
  })
}

/** Numbers are limits and times, except those of ports. */
function isLimit({ kind, name }: Setting): boolean {
  return kind === 'number' && !/port$/i.test(name)
}
