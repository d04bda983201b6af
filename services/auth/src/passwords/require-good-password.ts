import type { AuthContext } from '../context.ts'
import { WeakPasswordError } from '../errors.ts'
import { judgePassword, requireAcceptablePassword } from './password-strength.ts'

type PasswordContext = Pick<AuthContext, 'options' | 'leakedPasswords'>

/** @throws {HoldfastError} `weak_password` or `validation_failed` for what cannot become a password here, `unexpected_failure` */
export async function requireGoodPassword(
  { options, leakedPasswords }: PasswordContext,
  password: string,
): Promise<void> {
  requireAcceptablePassword(password, options)
  const leaked = await leakedPasswords.judge(password)
  if (leaked) throw leaked
}

/**
 * Of a password that a person has: they are told of all that is wrong with it, and get in. What cannot be found out is not held against it.
 *
 * @returns `undefined` for a password that is good enough
 */
export async function judgeAnyPassword(
  { options, leakedPasswords }: PasswordContext,
  password: string,
): Promise<WeakPasswordError | undefined> {
  const weak = judgePassword(password, options)
  const leaked = await leakedPasswords.judge(password).catch(() => undefined)
  if (!weak || !leaked) return weak ?? leaked
  return new WeakPasswordError(`${weak.message} ${leaked.message}`, [...weak.reasons, ...leaked.reasons])
}
