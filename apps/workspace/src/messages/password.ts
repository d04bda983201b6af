import type { PasswordRule } from '../lib/password-rules.ts'
import { inLanguages } from '../lib/texts.ts'

/** Texts shared by all forms that accept a new password. */
export const passwordMessages = inLanguages('passwordMessages', {
  newPassword: 'New password',
  show: 'Show password',
  hide: 'Hide password',
  rulesLabel: 'What the password needs',
  met: 'met',
  notMet: 'not met yet',
  missing: 'Enter a new password',
  notEnough: 'This password does not meet all the points yet',
  same: 'This is your password already. Choose another one.',
  pwned: 'This password is known from a data leak, so others will try it. Choose another one.',
  weak: 'This password is too easy to guess. Choose another one.',
  rule: (rule: PasswordRule, lengthMin: number): string =>
    ({
      length: `At least ${lengthMin} characters`,
      longest: 'At most 72 bytes, which are 72 plain letters',
      letter: 'A letter',
      lower: 'A small letter',
      upper: 'A capital letter',
      digit: 'A digit',
      symbol: 'A symbol, such as ! or -',
    })[rule],
})
