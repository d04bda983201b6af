import { HoldfastError } from '@holdfast/foundation'
import { roleRefused } from '../errors.ts'

/** Nothing is known about the token: whoever sent it may try again. */
export function issuerUnavailable(issuer: string): HoldfastError {
  return new HoldfastError('issuer_unavailable', 503, `The keys of the issuer ${issuer} cannot be read at the moment`, {
    headers: { 'retry-after': '5' },
  })
}

/** The token is genuine, but gives no role that it may have here. */
export function roleNotAccepted(role: unknown): HoldfastError {
  const message =
    role === undefined
      ? 'The token names no role: let its issuer add the claim `role` with the value `authenticated`'
      : 'The role of the token is not accepted from its issuer'
  return roleRefused(message)
}
