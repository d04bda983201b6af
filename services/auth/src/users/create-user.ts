import { isConnectionLoss, sql, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { savingUserFailed, userAlreadyExists } from '../errors.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { violatedConstraint } from '../violated-constraint.ts'
import { mergeMetadata, type UserMetadata } from './user-metadata.ts'

export interface NewUser {
  readonly id: string
  readonly identityId: string
  readonly provider: 'email' | 'phone'
  /** In lower case. */
  readonly email: string | undefined
  /** Digits only. */
  readonly phone: string | undefined
  readonly passwordHash: string
  readonly metadata: UserMetadata
  /** Whether the address or number counts as confirmed at once. */
  readonly confirmed: boolean
  /** ISO 8601. */
  readonly now: string
}

/**
 * Inserts a user and the identity that signs in. Triggers of the project on `auth.users` run here, in the same transaction.
 *
 * @throws {HoldfastError} `user_already_exists`, or `unexpected_failure` when a trigger or constraint of the project refuses
 */
export async function createUser(tx: Transaction, user: NewUser): Promise<void> {
  const confirmedAt = user.confirmed ? user.now : null
  try {
    await tx.execute(sql`
      insert into auth.users (
        instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
        confirmation_token, recovery_token, email_change_token_new, email_change,
        raw_app_meta_data, raw_user_meta_data, created_at, updated_at
      ) values (
        '00000000-0000-0000-0000-000000000000', ${user.id}, 'authenticated', 'authenticated', ${user.email ?? null},
        ${user.phone ?? null}, ${user.passwordHash}, ${user.provider === 'email' ? confirmedAt : null},
        ${user.provider === 'phone' ? confirmedAt : null}, '', '', '', '',
        ${JSON.stringify({ provider: user.provider, providers: [user.provider] })}::jsonb,
        ${JSON.stringify(initialMetadata(user))}::jsonb, ${user.now}, ${user.now}
      )
    `)
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'users_email_partial_key' || constraint === 'users_phone_key') throw userAlreadyExists()
    if (sqlstateOf(error) !== undefined && !isConnectionLoss(error)) throw savingUserFailed(error)
    throw error
  }
  await insertIdentity(tx, {
    id: user.identityId,
    userId: user.id,
    provider: user.provider,
    providerId: user.id,
    identityData: initialIdentityData(user),
    now: user.now,
  })
}

/** What the identity says about the person; `email_verified` is a provider's word, and here there is none. */
export function initialIdentityData(user: NewUser): UserMetadata {
  return {
    sub: user.id,
    ...(user.email === undefined ? {} : { email: user.email }),
    ...(user.phone === undefined ? {} : { phone: user.phone }),
    email_verified: false,
    phone_verified: false,
  }
}

/** The metadata given at sign-up and over it, as GoTrue does, what the identity says. */
export function initialMetadata(user: NewUser): UserMetadata {
  return mergeMetadata(user.metadata, {
    ...initialIdentityData(user),
    ...(user.provider === 'email' && user.confirmed ? { email_verified: true } : {}),
  })
}
