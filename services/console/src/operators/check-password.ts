import { weakPassword } from '../errors.ts'
import { PASSWORD_CHARS_MIN } from '../limits.ts'

/** @throws {HoldfastError} `weak_password` */
export function requireAcceptablePassword(password: string): void {
  if (password.length < PASSWORD_CHARS_MIN) throw weakPassword(PASSWORD_CHARS_MIN)
}
