import { type Queryable, sql } from '@holdfast/postgres'
import type { UserMetadata } from '../users/user-metadata.ts'

/** Stores the provider's data of the latest sign-in. @param input.now - ISO 8601 */
export async function updateIdentity(
  db: Queryable,
  input: { readonly id: string; readonly identityData: UserMetadata; readonly now: string },
): Promise<void> {
  await db.execute(sql`
    update auth.identities
       set identity_data = ${JSON.stringify(input.identityData)}::jsonb, last_sign_in_at = ${input.now}, updated_at = ${input.now}
     where id = ${input.id}
  `)
}

/** @param input.now - ISO 8601 */
export async function setUserMetadata(
  db: Queryable,
  input: { readonly userId: string; readonly metadata: UserMetadata; readonly now: string },
): Promise<void> {
  await db.execute(sql`
    update auth.users set raw_user_meta_data = ${JSON.stringify(input.metadata)}::jsonb, updated_at = ${input.now}
     where id = ${input.userId}
  `)
}

/** Sets a user's address, confirmed or not. @param input.now - ISO 8601 */
export async function setUserEmail(
  db: Queryable,
  input: {
    readonly userId: string
    readonly email: string | undefined
    readonly isConfirmed: boolean
    readonly now: string
  },
): Promise<void> {
  const { userId, email, isConfirmed, now } = input
  const metadata = JSON.stringify({ email_verified: isConfirmed })
  await db.execute(sql`
    update auth.users
       set email = ${email ?? null}, email_confirmed_at = ${isConfirmed ? now : null}, updated_at = ${now},
           raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || ${metadata}::jsonb
     where id = ${userId}
  `)
}
