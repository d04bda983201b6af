import { HoldfastError } from '@holdfast/foundation'

const NAME = /^app(?:\.[a-z_][a-z0-9_]*)+$/i

/**
 * Parses the project's settings, which functions and policies read with `current_setting`.
 *
 * @throws {HoldfastError} `option_invalid` for a name without the prefix `app.`, because other names belong to Postgres, extensions and requests; and for a value
 *   that is not a string, number or boolean, or contains a control character. The message omits values, which may be secrets.
 */
export function readAppSettings(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (!NAME.test(name)) throw invalid(`appSettings: ${JSON.stringify(name)} is not the name of such a setting.`)
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
        throw invalid(`appSettings: the value of ${name} is no text.`)
      }
      if (/\p{Cc}/u.test(String(value))) throw invalid(`appSettings: the value of ${name} has a control character.`)
      return [name, String(value)]
    }),
  )
}

function invalid(message: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, message, { hint: 'Write {"app.settings.name": "value"}.' })
}
