import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import { ABANDONED_FLOW_AGE_S } from '../limits.ts'

/**
 * Remembers what proves to a provider that the code comes back to who asked. Unfinished flows are deleted on this occasion, a few at a
 * time.
 *
 * @param input.now - ISO 8601
 * @returns the id, for the flow state
 */
export async function insertClientState(
  db: Queryable,
  input: { readonly providerType: string; readonly codeVerifier: string; readonly now: string },
): Promise<string> {
  const id = randomUUID()
  await db.execute(sql`
    insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
    values (${id}, ${input.providerType}, ${input.codeVerifier}, ${input.now})
  `)
  const abandonedBefore = new Date(Date.parse(input.now) - ABANDONED_FLOW_AGE_S * 1000).toISOString()
  await db.execute(sql`
    delete from auth.oauth_client_states
     where id in (select id from auth.oauth_client_states where created_at < ${abandonedBefore} limit 100 for update skip locked)
  `)
  await db.execute(sql`
    delete from auth.flow_state
     where id in (select id from auth.flow_state where created_at < ${abandonedBefore} limit 100 for update skip locked)
  `)
  return id
}

/** Uses up a client state: of two requests with the same state only one gets it. @returns the code verifier */
export async function takeClientState(
  db: Queryable,
  input: { readonly id: string; readonly providerType: string },
): Promise<string | undefined> {
  const [state] = await db.query<{ code_verifier: string | null }>(sql`
    delete from auth.oauth_client_states
     where id = ${input.id} and provider_type = ${input.providerType}
    returning code_verifier
  `)
  return state?.code_verifier ?? undefined
}
