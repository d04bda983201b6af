import { flag, integer, type OptionDeclarations, text } from '@holdfast/foundation'

/** Password requirements. */
export const passwordOptions = {
  minimumPasswordLength: integer('The shortest password that is accepted, in bytes.', { default: 6, min: 6, max: 72 }),
  passwordRequirements: text(
    'Characters that a password has to have: `letters_digits`, `lower_upper_letters_digits` or `lower_upper_letters_digits_symbols`; empty for any.',
    { default: '' },
  ),
  passwordHibpEnabled: flag(
    'Whether passwords are refused that have leaked elsewhere. Five characters of their SHA-1 are sent to `passwordHibpUrl`.',
    { default: false },
  ),
  passwordHibpFailClosed: flag('Whether passwords are refused while that service does not answer.', { default: false }),
  passwordHibpUrl: text('A service that knows leaked passwords, with the range API of Have I Been Pwned.', {
    default: 'https://api.pwnedpasswords.com',
  }),
  securityUpdatePasswordRequireCurrentPassword: flag(
    'Whether a new password needs the old one (`current_password`), except after signing in by a mail or a text message.',
    { default: false },
  ),
  passwordHashCost: integer('The bcrypt cost of new password hashes; one more doubles the time of every sign-in.', {
    default: 10,
    min: 4,
    max: 14,
  }),
} satisfies OptionDeclarations
