import { randomUUID } from 'node:crypto'
import type { AuthContext } from '../context.ts'
import { signUpDisabled } from '../errors.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { startSession } from '../sessions/start-session.ts'
import { createUser } from './create-user.ts'
import { mergeMetadata, type UserMetadata } from '../users/user-metadata.ts'

/**
 * Makes an account without any way to sign in again, and signs in to it. It becomes a permanent one with an address, a number or an identity.
 *
 * @throws {HoldfastError} `signup_disabled`, `validation_failed`, `unexpected_failure`, and what a hook refuses with
 */
export async function signUpAnonymously(
  context: AuthContext,
  input: { readonly metadata: UserMetadata; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { origin } = input
  if (!context.options.enableSignup) throw signUpDisabled()
  const userMetadata = mergeMetadata(null, input.metadata)
  const now = new Date(context.clock.now()).toISOString()
  return context.pool.transaction(async (tx) => {
    const user = { id: randomUUID(), identity: undefined, appMetadata: {}, userMetadata, isAnonymous: true, now }
    await createUser(context, tx, { user, address: origin.address, announce: true })
    return startSession(context, tx, { userId: user.id, method: 'anonymous', origin, now })
  })
}
