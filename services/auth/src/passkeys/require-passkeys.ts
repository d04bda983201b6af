import { validationFailed } from '../errors.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { SessionRow } from '../sessions/session-row.ts'
import { isUuid } from '../store.ts'
import { hasVerifiedFactor, type UserRow } from '../users/user-row.ts'
import type { RelyingParty } from '../webauthn/relying-party.ts'
import { aal2ToManagePasskeys, passkeyDisabled } from './errors.ts'

export type RequirePasskeysNeeds = WithOptions<'passkeyEnabled'> & { readonly relyingParty: RelyingParty | undefined }

/** Returns whether sign-in by passkey is available: it is enabled, and the site has a domain that passkeys can belong to. */
export function hasPasskeys({ options, relyingParty }: RequirePasskeysNeeds): boolean {
  return options.passkeyEnabled && relyingParty !== undefined
}

/** @throws {HoldfastError} `passkey_disabled` */
export function requirePasskeys({ options, relyingParty }: RequirePasskeysNeeds): RelyingParty {
  if (!options.passkeyEnabled || relyingParty === undefined) throw passkeyDisabled()
  return relyingParty
}

/**
 * Requires the second factor of a user who has one before passkeys are added or removed, because a passkey is a way to sign in.
 *
 * @throws {HoldfastError} `insufficient_aal`
 */
export function requireAalForPasskeys(user: UserRow, session: SessionRow | undefined): void {
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2') throw aal2ToManagePasskeys()
}

/** @throws {HoldfastError} `validation_failed` */
export function requirePasskeyAnswer(body: { readonly challenge_id?: string | null; readonly credential?: unknown }): {
  readonly challengeId: string
  readonly credential: object
} {
  const { challenge_id: challengeId, credential } = body
  if (!challengeId) throw validationFailed('challenge_id is required')
  if (credential === undefined || credential === null) throw validationFailed('credential is required')
  if (!isUuid(challengeId)) throw validationFailed('challenge_id must be a valid UUID')
  if (typeof credential !== 'object') throw validationFailed('credential must be an object')
  return { challengeId, credential }
}
