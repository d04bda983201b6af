import { WeakPasswordError, validationFailed } from '../errors.ts'
import { PASSWORD_BYTES_MAX } from '../limits.ts'

/**
 * @param lengthMin - in bytes, as GoTrue counts
 * @returns the refusal, or `undefined` for a password that is good enough
 */
export function judgePassword(password: string, lengthMin: number): WeakPasswordError | undefined {
  if (Buffer.byteLength(password) >= lengthMin) return undefined
  return new WeakPasswordError(`Password should be at least ${lengthMin} characters.`, ['length'])
}

/** @throws {HoldfastError} `weak_password` or `validation_failed` for what cannot become a password */
export function requireAcceptablePassword(password: string, lengthMin: number): void {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw validationFailed(`Password cannot be longer than ${PASSWORD_BYTES_MAX} characters`)
  }
  if (password.includes('\0')) throw validationFailed('Password cannot contain the character NUL')
  const weakness = judgePassword(password, lengthMin)
  if (weakness) throw weakness
}
