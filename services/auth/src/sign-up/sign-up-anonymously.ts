import { randomUUID } from 'node:crypto'
import { signUpDisabled } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoNow, type Store } from '../store.ts'
import { mergeMetadata, type UserMetadata } from '../users/user-metadata.ts'
import { createUser } from './create-user.ts'

export type SignUpAnonymouslyNeeds = Store &
  WithOptions<'enableSignup'> & { readonly hooks: Hooks; readonly sessions: Sessions }

/**
 * Makes an account without any way to sign in again, and signs in to it. It becomes a permanent one with an address, a number or an identity.
 *
 * @throws {HoldfastError} `signup_disabled`, `validation_failed`, `unexpected_failure`, and what a hook refuses with
 */
export async function signUpAnonymously(
  { pool, clock, hooks, options, sessions }: SignUpAnonymouslyNeeds,
  input: { readonly metadata: UserMetadata; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { origin } = input
  if (!options.enableSignup) throw signUpDisabled()
  const userMetadata = mergeMetadata(null, input.metadata)
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const user = { id: randomUUID(), identity: undefined, appMetadata: {}, userMetadata, isAnonymous: true, now }
    await createUser(hooks, tx, { user, address: origin.address, announce: true })
    return sessions.start(tx, { userId: user.id, method: 'anonymous', origin, now })
  })
}
