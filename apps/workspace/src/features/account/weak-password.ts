import { passwordMessages as words } from '../../messages/password.ts'
import { codeOf, describeAccountError } from './account-failure.ts'

/** The weaknesses of a new password, when they are why the server refused it. */
export function weakPasswordMessage(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === 'same_password') return words.same
  if (code !== 'weak_password') return undefined
  const reasons = describeAccountError(error).reasons ?? []
  if (reasons.includes('pwned')) return words.pwned
  return reasons.length === 0 ? words.weak : words.notEnough
}
