import { WeakPasswordError, validationFailed, optionInvalid } from '../errors.ts'
import { PASSWORD_BYTES_MAX } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'

/** A project's password rules. */
export type PasswordRules = Pick<AuthOptions, 'minimumPasswordLength' | 'passwordRequirements'>

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const SYMBOLS = `!@#$%^&*()_+-=[]{};'\\:"|<>?,./\`~`

/** Character groups that a password must draw from, by the setting's value in Supabase's `config.toml`. */
const CHARACTER_GROUPS: Readonly<Record<string, readonly string[]>> = {
  '': [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
}

/** @throws {HoldfastError} `option_invalid` for unknown requirements */
export function requireKnownRules({ passwordRequirements }: PasswordRules): void {
  if (Object.hasOwn(CHARACTER_GROUPS, passwordRequirements)) return
  const known = Object.keys(CHARACTER_GROUPS).filter((name) => name !== '')
  throw optionInvalid('passwordRequirements', `${passwordRequirements} is none of ${known.join(', ')}.`)
}

/**
 * Checks a password against every rule. Reasons are GoTrue's: `length` and `characters`.
 *
 * @returns the error; `undefined` for an acceptable password
 */
export function judgePassword(password: string, rules: PasswordRules): WeakPasswordError | undefined {
  const reasons: string[] = []
  const messages: string[] = []
  const lengthMin = rules.minimumPasswordLength
  // Counts bytes, as GoTrue does.
  if (Buffer.byteLength(password) < lengthMin) {
    reasons.push('length')
    messages.push(`Password should be at least ${lengthMin} characters.`)
  }
  const groups = CHARACTER_GROUPS[rules.passwordRequirements] ?? []
  if (groups.some((group) => ![...group].some((character) => password.includes(character)))) {
    reasons.push('characters')
    messages.push(`Password should contain at least one character of each: ${groups.join(', ')}.`)
  }
  return reasons.length === 0 ? undefined : new WeakPasswordError(messages.join(' '), reasons)
}

/** @throws {HoldfastError} `weak_password` or `validation_failed` for an unacceptable password */
export function requireAcceptablePassword(password: string, rules: PasswordRules): void {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw validationFailed(`Password cannot be longer than ${PASSWORD_BYTES_MAX} characters`)
  }
  if (password.includes('\0')) throw validationFailed('Password cannot contain the character NUL')
  const weakness = judgePassword(password, rules)
  if (weakness) throw weakness
}
