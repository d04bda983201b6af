import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from '@holdfast/postgres'
import { emailExists, phoneExists } from '../errors.ts'
import { mergeIdentityData } from '../identities/insert-identity.ts'
import { deleteOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { violatedConstraint } from '../store.ts'

// Each confirmation also invalidates the user's other pending codes and links, as in GoTrue.

/**
 * Confirms a user's address. If it is confirmed already, only invalidates pending tokens.
 *
 * @param input.isProven - false with auto-confirm, in which case no identity is marked as verified
 * @param input.now - ISO 8601
 */
export async function confirmEmail(
  tx: Transaction,
  input: { readonly userId: string; readonly isProven?: boolean; readonly now: string },
): Promise<void> {
  const { userId, now } = input
  await tx.execute(sql`
    update auth.users
       set confirmation_token = '', email_confirmed_at = coalesce(email_confirmed_at, ${now}), updated_at = ${now},
           raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"email_verified":true}'
     where id = ${userId}
  `)
  if (input.isProven ?? true) {
    await tx.execute(sql`
      update auth.identities
         set identity_data = identity_data || '{"email_verified":true}', updated_at = ${now}
       where user_id = ${userId} and email = (select lower(email) from auth.users where id = ${userId})
    `)
  }
  await deleteOneTimeTokens(tx, userId)
}

/** Confirms a user's number. @param input.now - ISO 8601 */
export async function confirmPhone(
  tx: Transaction,
  input: { readonly userId: string; readonly now: string },
): Promise<void> {
  const { userId, now } = input
  await tx.execute(sql`
    update auth.users
       set confirmation_token = '', phone_confirmed_at = coalesce(phone_confirmed_at, ${now}), is_anonymous = false,
           updated_at = ${now}
     where id = ${userId}
  `)
  await deleteOneTimeTokens(tx, userId)
}

/**
 * Sets a user's new, confirmed address, also for sign-in. An anonymous user becomes permanent.
 *
 * @param input.email - lowercase
 * @param input.now - ISO 8601
 * @throws {HoldfastError} `email_exists` if another user has taken it by now
 */
export async function confirmEmailChange(
  tx: Transaction,
  input: { readonly userId: string; readonly email: string; readonly now: string },
): Promise<void> {
  const { userId, email, now } = input
  const metadata = JSON.stringify({ email, email_verified: true })
  try {
    await tx.execute(sql`
      update auth.users
         set email = ${email}, email_confirmed_at = coalesce(email_confirmed_at, ${now}), email_change = '',
             email_change_token_current = '', email_change_token_new = '', email_change_confirm_status = 0, is_anonymous = false,
             raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || ${metadata}::jsonb, updated_at = ${now}
       where id = ${userId}
    `)
  } catch (error) {
    throw violatedConstraint(error) === 'users_email_partial_key' ? emailExists() : error
  }
  await deleteOneTimeTokens(tx, userId)
  const identityData = { sub: userId, email, email_verified: true }
  await mergeIdentityData(tx, { id: randomUUID(), userId, provider: 'email', providerId: userId, identityData, now })
  await nameProviders(tx, { userId, now })
}

/**
 * Sets a user's new, confirmed number, also for sign-in. An anonymous user becomes permanent.
 *
 * @param input.phone - digits only
 * @param input.now - ISO 8601
 * @throws {HoldfastError} `phone_exists` if another user has taken it by now
 */
export async function confirmPhoneChange(
  tx: Transaction,
  input: { readonly userId: string; readonly phone: string; readonly now: string },
): Promise<void> {
  const { userId, phone, now } = input
  try {
    await tx.execute(sql`
      update auth.users
         set phone = ${phone}, phone_confirmed_at = ${now}, phone_change = '', phone_change_token = '', is_anonymous = false,
             updated_at = ${now}
       where id = ${userId}
    `)
  } catch (error) {
    throw violatedConstraint(error) === 'users_phone_key' ? phoneExists() : error
  }
  await deleteOneTimeTokens(tx, userId)
  const identityData = { sub: userId, phone, phone_verified: true }
  await mergeIdentityData(tx, { id: randomUUID(), userId, provider: 'phone', providerId: userId, identityData, now })
  await nameProviders(tx, { userId, now })
}

/** Writes a user's sign-in providers into `app_metadata`, oldest first. @param input.now - ISO 8601 */
export async function nameProviders(
  tx: Transaction,
  input: { readonly userId: string; readonly now: string },
): Promise<void> {
  await tx.execute(sql`
    with provider as (
      select identity.provider as name, min(identity.created_at) as since
        from auth.identities as identity
       where identity.user_id = ${input.userId}
       group by identity.provider
    ),
    named as (select jsonb_agg(name order by since, name) as names from provider)
    update auth.users
       set raw_app_meta_data = coalesce(raw_app_meta_data, '{}')
             || jsonb_build_object('providers', named.names, 'provider', named.names -> 0),
           updated_at = ${input.now}
      from named
     where users.id = ${input.userId} and named.names is not null
  `)
}
