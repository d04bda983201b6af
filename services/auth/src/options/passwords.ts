import type { OptionDeclarations } from '@holdfast/foundation'

/** What a password has to be. */
export const passwordOptions = {
  minimumPasswordLength: {
    type: 'integer',
    default: 6,
    min: 6,
    max: 72,
    description: 'The shortest password that is accepted, in bytes.',
  },
  passwordRequirements: {
    type: 'string',
    default: '',
    description:
      'Characters that a password has to have: `letters_digits`, `lower_upper_letters_digits` or `lower_upper_letters_digits_symbols`; empty for any.',
  },
  passwordHibpEnabled: {
    type: 'boolean',
    default: false,
    description:
      'Whether passwords are refused that have leaked elsewhere. Five characters of their SHA-1 are sent to `passwordHibpUrl`.',
  },
  passwordHibpFailClosed: {
    type: 'boolean',
    default: false,
    description: 'Whether passwords are refused while that service does not answer.',
  },
  passwordHibpUrl: {
    type: 'string',
    default: 'https://api.pwnedpasswords.com',
    description: 'A service that knows leaked passwords, with the range API of Have I Been Pwned.',
  },
  securityUpdatePasswordRequireCurrentPassword: {
    type: 'boolean',
    default: false,
    description:
      'Whether a new password needs the old one (`current_password`), except after signing in by a mail or a text message.',
  },
  passwordHashCost: {
    type: 'integer',
    default: 10,
    min: 4,
    max: 14,
    description: 'The bcrypt cost of new password hashes; one more doubles the time of every sign-in.',
  },
} satisfies OptionDeclarations
