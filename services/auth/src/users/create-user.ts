import { assert } from '@holdfast/foundation'
import { isConnectionLoss, sql, sqlstateOf, type Transaction } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'
import { savingUserFailed, userAlreadyExists } from '../errors.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { violatedConstraint } from '../violated-constraint.ts'
import { renderUser } from './render-user.ts'
import type { UserMetadata } from './user-metadata.ts'
import { findUserById, type UserRow } from './user-row.ts'

/** The first way to sign in of a new account; an anonymous one has none. */
export interface FirstIdentity {
  readonly id: string
  /** `email`, `phone`, or the name of an external provider. */
  readonly provider: string
  /** The provider's name for the person; the user's own id for `email` and `phone`. */
  readonly providerId: string
  readonly data: UserMetadata
}

export interface NewUser {
  readonly id: string
  readonly identity: FirstIdentity | undefined
  /** In lower case. */
  readonly email?: string | undefined
  /** Digits only. */
  readonly phone?: string | undefined
  readonly passwordHash?: string | undefined
  readonly appMetadata: UserMetadata
  readonly userMetadata: UserMetadata
  readonly emailConfirmed?: boolean
  readonly phoneConfirmed?: boolean
  readonly isAnonymous?: boolean
  /** The role that policies see; `authenticated` unless an administrator says otherwise. */
  readonly role?: string | undefined
  /** ISO 8601. */
  readonly invitedAt?: string | undefined
  /** ISO 8601. */
  readonly bannedUntil?: string | undefined
  /** ISO 8601. */
  readonly now: string
}

/**
 * Inserts a user and their first identity. Triggers of the project on `auth.users` run here, in the same transaction, and after them
 * the `before_user_created` hook, whose refusal undoes it all.
 *
 * @param input.announce - whether the hook is asked; administrators create without it
 * @throws {HoldfastError} `user_already_exists`, `unexpected_failure` when a trigger or constraint of the project refuses, and what the
 * hook refuses with
 */
export async function createUser(
  context: AuthContext,
  tx: Transaction,
  input: { readonly user: NewUser; readonly address: string; readonly announce: boolean },
): Promise<UserRow> {
  const { user } = input
  await insertUser(tx, user)
  if (user.identity) {
    const { id, provider, providerId, data } = user.identity
    await insertIdentity(tx, { id, userId: user.id, provider, providerId, identityData: data, now: user.now })
  }
  const created = await findUserById(tx, user.id)
  assert(created, 'the user was just inserted')
  if (input.announce && context.hooks.has('before_user_created')) {
    await context.hooks.run(tx, 'before_user_created', {
      metadata: { uuid: crypto.randomUUID(), time: user.now, name: 'before-user-created', ip_address: input.address },
      user: renderUser(created),
    })
  }
  return created
}

async function insertUser(tx: Transaction, user: NewUser): Promise<void> {
  try {
    await tx.execute(sql`
      insert into auth.users (
        instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, invited_at,
        confirmation_token, recovery_token, email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data,
        banned_until, is_anonymous, created_at, updated_at
      ) values (
        '00000000-0000-0000-0000-000000000000', ${user.id}, 'authenticated', ${user.role ?? 'authenticated'},
        ${user.email ?? null}, ${user.phone ?? null}, ${user.passwordHash ?? ''},
        ${user.emailConfirmed ? user.now : null}, ${user.phoneConfirmed ? user.now : null}, ${user.invitedAt ?? null},
        '', '', '', '', ${JSON.stringify(user.appMetadata)}::jsonb, ${JSON.stringify(user.userMetadata)}::jsonb,
        ${user.bannedUntil ?? null}, ${user.isAnonymous ?? false}, ${user.now}, ${user.now}
      )
    `)
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'users_email_partial_key' || constraint === 'users_phone_key') throw userAlreadyExists()
    if (sqlstateOf(error) !== undefined && !isConnectionLoss(error)) throw savingUserFailed(error)
    throw error
  }
}
