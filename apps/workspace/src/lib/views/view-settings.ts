/** What a view can say about its table, and the letter for it in an address. Values are texts, the same in both places. */
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
/** Unsaved settings in the address; an empty text takes a setting of the view away. */
export type AddressSettings = Readonly<Partial<Record<SettingLetter, string | undefined>>>

const SETTINGS = Object.keys(SETTING_LETTERS) as readonly Setting[]

/** @param config - a view's stored JSON; anything that is not a text under a known name is left out */
export function parseSettings(config: string | null): ViewSettings {
  const stored = parseObject(config)
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const value = stored[setting]
      return typeof value === 'string' && value !== '' ? [[setting, value]] : []
    }),
  )
}

/** The stored JSON with other settings; what this version does not know stays in it. */
export function renderSettings(config: string | null, settings: ViewSettings): string {
  const others = Object.entries(parseObject(config)).filter(([name]) => !Object.hasOwn(SETTING_LETTERS, name))
  const own = Object.entries(settings).filter(([, value]) => value !== '')
  return JSON.stringify(Object.fromEntries([...others, ...own]))
}

/** The settings of a view with those of the address in their place. */
export function mergeSettings(saved: ViewSettings, address: AddressSettings): ViewSettings {
  return Object.fromEntries(
    SETTINGS.flatMap((setting) => {
      const value = address[SETTING_LETTERS[setting]] ?? saved[setting] ?? ''
      return value === '' ? [] : [[setting, value]]
    }),
  )
}

/** What goes into the address for a setting: nothing when the view says the same. */
export function addressOf(saved: ViewSettings, setting: Setting, value: string | undefined): AddressSettings {
  const same = (saved[setting] ?? '') === (value ?? '')
  return { [SETTING_LETTERS[setting]]: same ? undefined : (value ?? '') }
}

/** Whether the address changes the view. */
export function hasChanges(saved: ViewSettings, address: AddressSettings): boolean {
  return SETTINGS.some((setting) => {
    const value = address[SETTING_LETTERS[setting]]
    return value !== undefined && value !== (saved[setting] ?? '')
  })
}

/** An address without changes of the view. */
export const NO_CHANGES: AddressSettings = Object.fromEntries(
  SETTINGS.map((setting) => [SETTING_LETTERS[setting], undefined]),
)

function parseObject(config: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(config ?? '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {} // not written by the app: a view with nothing set is still a view
  }
}
