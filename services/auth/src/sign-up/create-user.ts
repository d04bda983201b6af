import { assert, HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, sql, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { savingUserFailed, userAlreadyExists } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { violatedConstraint } from '../store.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, findUserById, findUserByPhone, type UserRow } from '../users/user-row.ts'

/** The first identity of a new account. Anonymous accounts have none. */
export interface FirstIdentity {
  readonly id: string
  /** `email`, `phone`, or the name of an external provider. */
  readonly provider: string
  /** The provider's id of the user; the user's own id for `email` and `phone`. */
  readonly providerId: string
  readonly data: UserMetadata
}

export interface NewUser {
  readonly id: string
  readonly identity: FirstIdentity | undefined
  /** Lowercase. */
  readonly email?: string | undefined
  /** Digits only. */
  readonly phone?: string | undefined
  readonly passwordHash?: string | undefined
  readonly appMetadata: UserMetadata
  readonly userMetadata: UserMetadata
  readonly emailConfirmed?: boolean
  readonly phoneConfirmed?: boolean
  readonly isAnonymous?: boolean
  /** Role for policies. Default: `authenticated`. */
  readonly role?: string | undefined
  /** ISO 8601. */
  readonly invitedAt?: string | undefined
  /** ISO 8601. */
  readonly bannedUntil?: string | undefined
  /** ISO 8601. */
  readonly now: string
}

/**
 * Calls the `before_user_created` hook, then inserts a user and the first identity. The project's triggers on `auth.users` run here.
 *
 * @param input.announce - whether to call the hook; administrators skip it
 * @throws {HoldfastError} `user_already_exists`, `unexpected_failure` if a trigger or constraint of the project rejects the row, and the
 * hook's refusal
 */
export async function createUser(
  hooks: Hooks,
  tx: Transaction,
  input: { readonly user: NewUser; readonly address: string; readonly announce: boolean },
): Promise<UserRow> {
  const { user } = input
  if (input.announce && hooks.has('before_user_created')) await announce(hooks, tx, user, input.address)
  await insertUser(tx, user)
  if (user.identity) {
    const { id, provider, providerId, data } = user.identity
    await insertIdentity(tx, { id, userId: user.id, provider, providerId, identityData: data, now: user.now })
  }
  const created = await findUserById(tx, user.id)
  assert(created, 'the user was just inserted')
  return created
}

/**
 * Runs `attempt`, and once more if a concurrent request took the same address or number. The second run finds that account.
 */
export function retryIfTaken<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return attempt().catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === 'user_already_exists') return attempt()
    throw error
  })
}

/** Calls the hook for a new account only, before its row exists, because the hook may look for similar accounts. */
async function announce(hooks: Hooks, tx: Transaction, user: NewUser, address: string): Promise<void> {
  if (user.email !== undefined && (await findUserByEmail(tx, user.email))) throw userAlreadyExists()
  if (user.phone !== undefined && (await findUserByPhone(tx, user.phone))) throw userAlreadyExists()
  await hooks.run(tx, 'before_user_created', { user: renderNewUser(user) }, address)
}

/** Renders the future account in the format of `renderUser`. */
function renderNewUser(user: NewUser): Record<string, unknown> {
  return {
    id: user.id,
    aud: 'authenticated',
    role: user.role ?? 'authenticated',
    email: user.email ?? '',
    phone: user.phone ?? '',
    ...(user.emailConfirmed ? { email_confirmed_at: user.now } : {}),
    ...(user.phoneConfirmed ? { phone_confirmed_at: user.now } : {}),
    ...(user.invitedAt ? { invited_at: user.invitedAt } : {}),
    app_metadata: user.appMetadata,
    user_metadata: user.userMetadata,
    identities: [],
    created_at: user.now,
    updated_at: user.now,
    ...(user.bannedUntil ? { banned_until: user.bannedUntil } : {}),
    is_anonymous: user.isAnonymous ?? false,
  }
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
