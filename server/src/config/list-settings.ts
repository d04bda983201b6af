import type { OptionDeclaration } from '@holdfast/foundation'
import type { Setting, SettingOrigin } from '@holdfast/protocol'
import type { SettingOrigins, SettingValue } from './load-config.ts'
import { flagName, variableName } from './names.ts'
import type { OptionGroup } from './options.ts'
import { valueText } from './print-reference.ts'

/** Settings that may hold secrets without being one as a whole: codes of test numbers, and what a project keeps for its functions. */
const HIDDEN: ReadonlySet<string> = new Set(['smsTestOtp', 'appSettings'])

const KINDS = { boolean: 'switch', integer: 'number', string: 'text', list: 'list', object: 'json' } as const

const UNKNOWN: SettingOrigin = { kind: 'program', where: 'the program that opened the server' }

/**
 * Lists options with their values in force, without secrets.
 *
 * @param origins - where they were set; `undefined` if that is not known
 */
export function listSettings(
  groups: readonly OptionGroup[],
  config: Readonly<Record<string, SettingValue | undefined>>,
  origins: SettingOrigins | undefined,
): readonly Setting[] {
  return groups.flatMap(({ title, options }) =>
    Object.entries(options).map(([name, declaration]): Setting => {
      const value = textOf(config[name])
      const fallback = textOf(declaration.default)
      const isHidden = value !== null && value !== fallback && isSecret(name, declaration)
      return {
        name,
        group: title,
        description: declaration.description,
        kind: KINDS[declaration.type],
        default: fallback,
        value: isHidden || value === null ? null : withoutPassword(value),
        isHidden,
        origin: origins ? (origins[name] ?? null) : value === fallback ? null : UNKNOWN,
        flag: declaration.secret ? null : flagName(name),
        variable: variableName(name, declaration),
      }
    }),
  )
}

const isSecret = (name: string, { secret }: OptionDeclaration): boolean => secret === true || HIDDEN.has(name)

/** Returns `null` for empty values. */
function textOf(value: SettingValue | undefined): string | null {
  const text = value === undefined ? '' : valueText(value)
  return text === '' || text === '{}' ? null : text
}

/** Removes user name and password from URLs. */
function withoutPassword(text: string): string {
  return text.replaceAll(/(?<=:\/\/)[^\s/@,"]+@/g, '…@')
}
