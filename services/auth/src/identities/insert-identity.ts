import { type Queryable, sql } from '@holdfast/postgres'

export interface NewIdentity {
  readonly id: string
  readonly userId: string
  readonly provider: string
  /** The provider's id of the user; the user's own id for `email` and `phone`. */
  readonly providerId: string
  readonly identityData: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly now: string
}

export async function insertIdentity(db: Queryable, identity: NewIdentity): Promise<void> {
  await db.execute(sql`
    insert into auth.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (
      ${identity.id}, ${identity.providerId}, ${identity.userId}, ${JSON.stringify(identity.identityData)}::jsonb, ${identity.provider},
      ${identity.now}, ${identity.now}, ${identity.now}
    )
  `)
}

/** Merges data into the user's own identity at `provider`, creating it if necessary. */
export async function mergeIdentityData(db: Queryable, identity: NewIdentity): Promise<void> {
  const data = JSON.stringify(identity.identityData)
  await db.execute(sql`
    insert into auth.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (${identity.id}, ${identity.providerId}, ${identity.userId}, ${data}::jsonb, ${identity.provider}, ${identity.now}, ${identity.now}, ${identity.now})
    on conflict (provider_id, provider) do update
       set identity_data = auth.identities.identity_data || excluded.identity_data, updated_at = excluded.updated_at
  `)
}
