import { flag, integer, type OptionDeclarations, text } from '@holdfast/foundation'

/** Password requirements. */
export const passwordOptions = {
  minimumPasswordLength: integer('Minimum password length in bytes.', { default: 6, min: 6, max: 72 }),
  passwordRequirements: text(
    'Required characters of passwords: `letters_digits`, `lower_upper_letters_digits` or `lower_upper_letters_digits_symbols`; empty for none.',
    { default: '' },
  ),
  passwordHibpEnabled: flag(
    'Whether to refuse leaked passwords. Sends five characters of their SHA-1 to `passwordHibpUrl`.',
    { default: false },
  ),
  passwordHibpFailClosed: flag('Whether to refuse passwords while that service does not respond.', { default: false }),
  passwordHibpUrl: text('Service with the range API of Have I Been Pwned.', {
    default: 'https://api.pwnedpasswords.com',
  }),
  securityUpdatePasswordRequireCurrentPassword: flag(
    'Whether changing the password requires `current_password`, except after signing in by mail or text message.',
    { default: false },
  ),
  passwordHashCost: integer('bcrypt cost of new password hashes; one more doubles the time of every sign-in.', {
    default: 10,
    min: 4,
    max: 14,
  }),
} satisfies OptionDeclarations
