import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store.ts'
import { findUserById, isBanned, lockUser, type UserRow } from '../users/user-row.ts'
import { askToSign, judgeSignature } from '../webauthn/ceremonies.ts'
import { webAuthnVerificationFailed } from '../webauthn/errors.ts'
import { consumePasskeyChallenge, savePasskeyChallenge } from './challenge-row.ts'
import { passkeySignInRefused } from './errors.ts'
import { credentialOf, findPasskeyByCredentialId, notePasskeyUse, type PasskeyRow } from './passkey-row.ts'
import { requirePasskeys, type RequirePasskeysNeeds } from './require-passkeys.ts'

export type SignInWithPasskeyNeeds = Store & RequirePasskeysNeeds & { readonly sessions: Sessions }

/**
 * Creates a challenge for any passkey of this site. The response names the user, so the challenge reveals nothing about a user's passkeys.
 *
 * @throws {HoldfastError} `passkey_disabled`
 */
export async function askForAnyPasskey(needs: SignInWithPasskeyNeeds): Promise<{
  readonly challenge_id: string
  readonly options: PublicKeyCredentialRequestOptionsJSON
  readonly expires_at: number
}> {
  const { pool, clock } = needs
  const party = requirePasskeys(needs)
  const options = await askToSign(party, { allow: [], userVerification: 'required' })
  const asked = await savePasskeyChallenge(pool, {
    type: 'authentication',
    userId: undefined,
    question: { challenge: options.challenge, userVerification: 'required' },
    rpId: party.id,
    nowMs: clock.now(),
  })
  return { ...asked, options }
}

/**
 * Signs in the owner of a passkey. The session is at `aal1`, as in GoTrue, so a second factor is still required.
 *
 * @throws {HoldfastError} `passkey_disabled`, `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
 * `webauthn_verification_failed`, `email_not_confirmed`, `phone_not_confirmed`, `user_banned`
 */
export async function signInWithPasskey(
  needs: SignInWithPasskeyNeeds,
  input: { readonly challengeId: string; readonly credential: object; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { pool, clock, sessions } = needs
  const { origin } = input
  const party = requirePasskeys(needs)
  const nowMs = clock.now()
  const question = await consumePasskeyChallenge(pool, {
    challengeId: input.challengeId,
    type: 'authentication',
    userId: undefined,
    nowMs,
  })
  const passkey = await findNamedPasskey(pool, input.credential)
  if (!passkey) throw webAuthnVerificationFailed('there is no such passkey of that person')
  const verdict = await judgeSignature(party, {
    response: input.credential,
    question,
    credential: credentialOf(passkey),
  })
  if (!verdict.valid) throw webAuthnVerificationFailed(verdict.reason)

  const now = new Date(nowMs).toISOString()
  return pool.transaction(async (tx) => {
    await lockUser(tx, passkey.user_id)
    const user = await findUserById(tx, passkey.user_id)
    if (!user) throw webAuthnVerificationFailed('the account was deleted')
    requireMaySignIn(user, nowMs)
    const { signCount, backedUp } = verdict
    if (!(await notePasskeyUse(tx, { id: passkey.id, signCount, backedUp, now }))) {
      throw webAuthnVerificationFailed('the counter of the passkey did not grow')
    }
    const traits = { passkey_id: passkey.id }
    await recordAudit(tx, { action: 'login', actor: user, address: origin.address, now, traits })
    return sessions.start(tx, { userId: user.id, method: 'passkey', origin, now })
  })
}

/** Finds the passkey of a response by its id, and requires that the user handle stored by the authenticator names the same user. */
async function findNamedPasskey(pool: Pool, answer: object): Promise<PasskeyRow | undefined> {
  const { id, response } = answer as { readonly id?: unknown; readonly response?: { readonly userHandle?: unknown } }
  const userHandle = response?.userHandle
  if (typeof id !== 'string' || id === '' || typeof userHandle !== 'string') return undefined
  const passkey = await findPasskeyByCredentialId(pool, id)
  const userId = Buffer.from(userHandle, 'base64url').toString()
  return passkey?.user_id === userId ? passkey : undefined
}

function requireMaySignIn(user: UserRow, nowMs: number): void {
  if (user.email && user.email_confirmed_at === null) throw passkeySignInRefused('email_not_confirmed')
  if (user.phone && user.phone_confirmed_at === null) throw passkeySignInRefused('phone_not_confirmed')
  if (isBanned(user, nowMs)) throw passkeySignInRefused('user_banned')
}
