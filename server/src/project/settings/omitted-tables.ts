import { HoldfastError } from '@holdfast/foundation'
import type { Leaf } from './leaves.ts'
import { UnsetVariable } from './variables.ts'

/** Tables that are usable only with all keys set, and the effect of omitting them because of an unset variable. */
const WHOLE: readonly { readonly at: RegExp; readonly result: string }[] = [
  { at: /^auth\.external\.\w+(?=\.(?:enabled|client_id|secret|url)$)/, result: 'nobody can sign in with it' },
  { at: /^auth\.third_party\.\w+(?=\.)/, result: 'its tokens are not accepted' },
  { at: /^auth\.email\.smtp(?=\.(?!sender_name))/, result: 'mails are captured' },
  { at: /^auth\.sms\.(?:twilio|twilio_verify)(?=\.)/, result: 'text messages are captured' },
  { at: /^auth\.hook\.send_email(?=\.)/, result: 'this server sends mails itself' },
  { at: /^auth\.hook\.send_sms(?=\.)/, result: 'this server sends text messages itself' },
]

/** Keys whose omission would make the server less restrictive than the project intends. */
const MUST_BE_SET = /^auth\.(?:hook\.|password_requirements$)/

/**
 * Finds tables to omit because of an unset `env(NAME)`.
 *
 * @returns their names with the note to print
 * @throws {HoldfastError} `option_invalid` for a variable of a security-relevant key
 */
export function findOmittedTables(leaves: readonly Leaf[], file: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { path, value } of leaves) {
    if (!(value instanceof UnsetVariable)) continue
    const name = path.join('.')
    const whole = WHOLE.find(({ at }) => at.test(name))
    const table = whole?.at.exec(name)?.[0]
    if (whole && table !== undefined)
      found.set(table, `${value.name} is not set, so ${table} is left out: ${whole.result}`)
    else if (MUST_BE_SET.test(name)) throw unset(name, value, file)
  }
  return found
}

/** Returns the error for a key that cannot be omitted. */
export function unset(name: string, { name: variable }: UnsetVariable, file: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${name} in ${file} names ${variable}, which is not set.`, {
    hint: `Set ${variable} in the environment or in .env beside ${file}, or change the key.`,
  })
}
