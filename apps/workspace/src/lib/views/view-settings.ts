import { parseRecord } from '@holdfast/protocol'

/** A view's settings, with their URL letter. Values are texts in both places. */
export const SETTING_LETTERS = {
  filter: 'f',
  sort: 's',
  group: 'g',
  hide: 'h',
  order: 'k',
  width: 'w',
  aggregate: 'a',
  color: 'c',
  freeze: 'z',
  height: 'r',
  lane: 'l',
  date: 'd',
  span: 'm',
  point: 'p',
  form: 'o',
} as const

export type Setting = keyof typeof SETTING_LETTERS
export type SettingLetter = (typeof SETTING_LETTERS)[Setting]
export type ViewSettings = Readonly<Partial<Record<Setting, string>>>
/** Unsaved settings in the URL; an empty text removes the view's setting. */
export type AddressSettings = Readonly<Partial<Record<SettingLetter, string | undefined>>>

const SETTINGS = Object.keys(SETTING_LETTERS) as readonly Setting[]

/** @param config - stored JSON; ignores values other than texts and unknown names */
export function parseSettings(config: string | null): ViewSettings {
  // Text that the app did not write counts as a view with nothing set.
  const stored = parseRecord(config ?? '') ?? {}
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const value = stored[setting]
      return typeof value === 'string' && value !== '' ? [[setting, value]] : []
    }),
  )
}

/** Updates stored JSON, preserving settings unknown to this version. */
export function renderSettings(config: string | null, settings: ViewSettings): string {
  const others = Object.entries(parseRecord(config ?? '') ?? {}).filter(
    ([name]) => !Object.hasOwn(SETTING_LETTERS, name),
  )
  const own = Object.entries(settings).filter(([, value]) => value !== '')
  return JSON.stringify(Object.fromEntries([...others, ...own]))
}

/** Overrides a view's settings with those of the URL. */
export function mergeSettings(saved: ViewSettings, address: AddressSettings): ViewSettings {
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const value = address[SETTING_LETTERS[setting]] ?? saved[setting] ?? ''
      return value === '' ? [] : [[setting, value]]
    }),
  )
}

/** Returns a setting for the URL: nothing if the view has the same. */
export function addressOf(saved: ViewSettings, setting: Setting, value: string | undefined): AddressSettings {
  const same = (saved[setting] ?? '') === (value ?? '')
  return { [SETTING_LETTERS[setting]]: same ? undefined : (value ?? '') }
}

/** Whether the URL changes the view. */
export function hasChanges(saved: ViewSettings, address: AddressSettings): boolean {
  return SETTINGS.some((setting) => {
    const value = address[SETTING_LETTERS[setting]]
    return value !== undefined && value !== (saved[setting] ?? '')
  })
}

/** A URL without changes. */
export const NO_CHANGES: AddressSettings = Object.fromEntries(
  SETTINGS.map((setting) => [SETTING_LETTERS[setting], undefined]),
)
