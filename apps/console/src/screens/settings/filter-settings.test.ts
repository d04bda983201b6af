import { expect, test } from 'vitest'
import type { Setting } from '@holdfast/protocol'
import { filterSettings, LIMITS, type SettingFilter } from './filter-settings.ts'

function setting(name: string, given: Partial<Setting>): Setting {
  const shared = { description: '', kind: 'text', default: null, value: null, isHidden: false, origin: null } as const
  return { name, group: 'Server', flag: `--${name}`, variable: `HOLDFAST_${name.toUpperCase()}`, ...shared, ...given }
}

const SETTINGS: readonly Setting[] = [
  setting('host', { description: 'Address to listen on.' }),
  setting('dbPort', { kind: 'number', origin: { kind: 'flag', where: '--db-port' } }),
  setting('closeSeconds', { kind: 'number', origin: { kind: 'file', where: 'holdfast.config.json' } }),
  setting('restRowsMax', { kind: 'number', group: 'REST' }),
]

test.each<readonly [SettingFilter, readonly string[]]>([
  [{}, ['host', 'dbPort', 'closeSeconds', 'restRowsMax']],
  [{ search: 'ADDRESS listen' }, ['host']],
  [{ search: 'holdfast_close' }, ['closeSeconds']],
  [{ search: 'nothing' }, []],
  [{ group: 'REST' }, ['restRowsMax']],
  [{ group: LIMITS }, ['closeSeconds', 'restRowsMax']],
  [{ origin: 'set' }, ['dbPort', 'closeSeconds']],
  [{ origin: 'flag' }, ['dbPort']],
  [{ group: LIMITS, origin: 'set', search: 'close' }, ['closeSeconds']],
])('%j leaves %j', (filter, names) => {
  expect(filterSettings(SETTINGS, filter).map(({ name }) => name)).toEqual(names)
})
