import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { assert } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import { anonymousNotAllowed } from '../mfa/errors.ts'
import type { Signer } from '../sessions/sessions.ts'
import { type Store, isoNow, isUuid } from '../store.ts'
import { lockUser } from '../users/user-row.ts'
import { askToRegister, judgeRegistration, accountName } from '../webauthn/ceremonies.ts'
import { webAuthnVerificationFailed } from '../webauthn/errors.ts'
import { passkeyName } from './authenticator-names.ts'
import { consumePasskeyChallenge, savePasskeyChallenge } from './challenge-row.ts'
import { tooManyPasskeys, passkeyNotFound } from './errors.ts'
import { PASSKEYS_MAX, PASSKEY_NAME_BYTES_MAX } from './limits.ts'
import {
  countPasskeys,
  credentialOf,
  findPasskeysOfUser,
  insertPasskey,
  type PasskeyRow,
  renderPasskey,
  deletePasskeyOfUser,
  renamePasskey,
} from './passkey-row.ts'
import { requireAalForPasskeys, requirePasskeys, type RequirePasskeysNeeds } from './require-passkeys.ts'

export type RegisterPasskeyNeeds = Store & RequirePasskeysNeeds

/** The authenticator must verify its user; otherwise a stolen device would be enough to sign in. */
const USER_VERIFICATION = 'required'

/**
 * Creates the challenge for registering a passkey of the signed-in user.
 *
 * @throws {HoldfastError} `passkey_disabled`, `too_many_passkeys`, `insufficient_aal`, `no_authorization`, `validation_failed`
 */
export async function askForPasskey(
  needs: RegisterPasskeyNeeds,
  signer: Signer,
): Promise<{
  readonly challenge_id: string
  readonly options: PublicKeyCredentialCreationOptionsJSON
  readonly expires_at: number
}> {
  const { pool, clock } = needs
  const party = requirePasskeys(needs)
  requireMayRegister(signer)
  const { user } = signer
  const passkeys = await findPasskeysOfUser(pool, user.id)
  if (passkeys.length >= PASSKEYS_MAX) throw tooManyPasskeys()
  const options = await askToRegister(party, {
    userId: user.id,
    ...accountName(user),
    exclude: passkeys.map(credentialOf),
    userVerification: USER_VERIFICATION,
    discoverable: true,
  })
  const question = { challenge: options.challenge, userVerification: USER_VERIFICATION } as const
  const asked = await savePasskeyChallenge(pool, {
    type: 'registration',
    userId: user.id,
    question,
    rpId: party.id,
    nowMs: clock.now(),
  })
  return { ...asked, options }
}

/**
 * Verifies and stores a new passkey.
 *
 * @returns the passkey as auth-js's type `PasskeyMetadata`
 * @throws {HoldfastError} as {@link askForPasskey}; `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
 * `webauthn_verification_failed`, `webauthn_credential_exists`
 */
export async function registerPasskey(
  needs: RegisterPasskeyNeeds,
  input: {
    readonly signer: Signer
    readonly challengeId: string
    readonly credential: object
    readonly address: string
  },
): Promise<Record<string, unknown>> {
  const { pool, clock } = needs
  const { signer, address } = input
  const { user } = signer
  const party = requirePasskeys(needs)
  requireMayRegister(signer)
  const nowMs = clock.now()
  const question = await consumePasskeyChallenge(pool, {
    challengeId: input.challengeId,
    type: 'registration',
    userId: user.id,
    nowMs,
  })
  const verdict = await judgeRegistration(party, { response: input.credential, question })
  if (!verdict.valid) throw webAuthnVerificationFailed(verdict.reason)

  const now = new Date(nowMs).toISOString()
  const passkey = await pool.transaction(async (tx): Promise<PasskeyRow> => {
    await lockUser(tx, user.id)
    if ((await countPasskeys(tx, user.id)) >= PASSKEYS_MAX) throw tooManyPasskeys()
    const { credential } = verdict
    const friendlyName = passkeyName(credential.aaguid)
    const id = await insertPasskey(tx, { userId: user.id, credential, friendlyName, now })
    await recordAudit(tx, { action: 'passkey_created', actor: user, address, now, traits: { passkey_id: id } })
    const inserted = (await findPasskeysOfUser(tx, user.id)).find((row) => row.id === id)
    assert(inserted, 'the passkey was just inserted')
    return inserted
  })
  return renderPasskey(passkey)
}

function requireMayRegister({ user, session }: Signer): void {
  if (user.is_anonymous) throw anonymousNotAllowed()
  if (user.is_sso_user) throw validationFailed('SSO users cannot register passkeys', 422)
  requireAalForPasskeys(user, session)
}

/** Lists the signed-in user's passkeys. */
export async function listOwnPasskeys(pool: Pool, { user }: Signer): Promise<Record<string, unknown>[]> {
  return (await findPasskeysOfUser(pool, user.id)).map(renderPasskey)
}

/** @throws {HoldfastError} `validation_failed`, 404 if the user has no such passkey */
export async function renameOwnPasskey(
  { pool, clock }: Store,
  input: {
    readonly signer: Signer
    readonly passkeyId: string
    readonly friendlyName: string
    readonly address: string
  },
): Promise<Record<string, unknown>> {
  const { passkeyId: id, friendlyName, address } = input
  const { user } = input.signer
  if (!isUuid(id)) throw passkeyNotFound()
  if (friendlyName === '') throw validationFailed('friendly_name is required')
  if (Buffer.byteLength(friendlyName) > PASSKEY_NAME_BYTES_MAX) {
    throw validationFailed(`friendly_name must be ${PASSKEY_NAME_BYTES_MAX} characters or less`)
  }
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const passkey = await renamePasskey(tx, { id, userId: user.id, friendlyName, now })
    if (!passkey) throw passkeyNotFound()
    await recordAudit(tx, { action: 'passkey_updated', actor: user, address, now, traits: { passkey_id: id } })
    return renderPasskey(passkey)
  })
}

/** @throws {HoldfastError} `insufficient_aal`, `validation_failed` (404) if the user has no such passkey */
export async function deleteOwnPasskey(
  { pool, clock }: Store,
  input: { readonly signer: Signer; readonly passkeyId: string; readonly address: string },
): Promise<void> {
  const { passkeyId: id, address } = input
  const { user, session } = input.signer
  requireAalForPasskeys(user, session)
  if (!isUuid(id)) throw passkeyNotFound()
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    if (!(await deletePasskeyOfUser(tx, { id, userId: user.id }))) throw passkeyNotFound()
    await recordAudit(tx, { action: 'passkey_deleted', actor: user, address, now, traits: { passkey_id: id } })
  })
}
