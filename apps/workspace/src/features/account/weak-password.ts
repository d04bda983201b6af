import { passwordMessages as words } from '../../messages/password.ts'
import { codeOf, describeAccountError } from './account-failure.ts'

/** Describes why the server considers a new password weak; `undefined` for other errors. */
export function weakPasswordMessage(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === 'same_password') return words.same
  if (code !== 'weak_password') return undefined
  const reasons = describeAccountError(error).reasons ?? []
  if (reasons.includes('pwned')) return words.pwned
  return reasons.length === 0 ? words.weak : words.notEnough
}
