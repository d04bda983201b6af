/** What the server asks of a new password. */
export interface PasswordRules {
  /** In bytes. */
  readonly lengthMin: number
  /** `letters_digits`, `lower_upper_letters_digits`, `lower_upper_letters_digits_symbols`, or empty. */
  readonly requirements: string
}

/** One thing that a new password has to be. */
export type PasswordRule = 'length' | 'longest' | 'letter' | 'lower' | 'upper' | 'digit' | 'symbol'

/** bcrypt reads no further. */
export const PASSWORD_BYTES_MAX = 72

const PATTERNS = {
  letter: /[a-z]/i,
  lower: /[a-z]/,
  upper: /[A-Z]/,
  digit: /[0-9]/,
  symbol: /[!@#$%^&*()_+\-=[\]{};'\\:"|<>?,./`~]/,
} as const

const REQUIRED: Readonly<Record<string, readonly (keyof typeof PATTERNS)[]>> = {
  letters_digits: ['letter', 'digit'],
  lower_upper_letters_digits: ['lower', 'upper', 'digit'],
  lower_upper_letters_digits_symbols: ['lower', 'upper', 'digit', 'symbol'],
}

/**
 * What the server will ask of a new password, and which of it is met, in the order in which it is shown. The upper end of the
 * length is only named once it is passed.
 *
 * @see Supabase, "Password security"
 */
export function checkPassword(
  password: string,
  { lengthMin, requirements }: PasswordRules,
): readonly { readonly rule: PasswordRule; readonly isMet: boolean }[] {
  const bytes = new TextEncoder().encode(password).length
  return [
    { rule: 'length', isMet: bytes >= lengthMin },
    ...(bytes > PASSWORD_BYTES_MAX ? [{ rule: 'longest' as const, isMet: false }] : []),
    ...(REQUIRED[requirements] ?? []).map((rule) => ({ rule, isMet: PATTERNS[rule].test(password) })),
  ]
}

/** Why a text cannot be the new password; `undefined` when it can. */
export function findNewPasswordProblem(password: string, rules: PasswordRules): 'missing' | 'notEnough' | undefined {
  if (password === '') return 'missing'
  return checkPassword(password, rules).every(({ isMet }) => isMet) ? undefined : 'notEnough'
}
