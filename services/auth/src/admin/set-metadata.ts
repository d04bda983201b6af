import { sql, type Transaction } from '@holdfast/postgres'
import type { UserMetadata } from '../users/user-metadata.ts'

/** @param input.now - ISO 8601 */
export async function setUserMetadata(
  tx: Transaction,
  input: { readonly userId: string; readonly metadata: UserMetadata; readonly now: string },
): Promise<void> {
  await tx.execute(sql`
    update auth.users
       set raw_user_meta_data = ${JSON.stringify(input.metadata)}::jsonb, updated_at = ${input.now}
     where id = ${input.userId}
  `)
}
