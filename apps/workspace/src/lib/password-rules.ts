/** The server's password rules. */
export interface PasswordRules {
  /** In bytes. */
  readonly lengthMin: number
  /** `letters_digits`, `lower_upper_letters_digits`, `lower_upper_letters_digits_symbols`, or empty. */
  readonly requirements: string
}

/** One requirement of a new password. */
export type PasswordRule = 'length' | 'longest' | 'letter' | 'lower' | 'upper' | 'digit' | 'symbol'

/** bcrypt ignores further bytes. */
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
 * Returns the requirements of a new password and whether each is met, in display order. The maximum length appears only when exceeded.
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

/** Returns why a text cannot be the new password; `undefined` if it can. */
export function findNewPasswordProblem(password: string, rules: PasswordRules): 'missing' | 'notEnough' | undefined {
  if (password === '') return 'missing'
  return checkPassword(password, rules).every(({ isMet }) => isMet) ? undefined : 'notEnough'
}
