import { assertOwnAnswer } from '../data/own-request.ts'
import type { PhotoTable } from '../data/photo-table.ts'

/** Postgres's code when a policy or a grant says no. */
const NOT_ALLOWED = '42501'
/** PostgREST's code when a request would change more rows than it may; nothing of it is kept. */
const WOULD_CHANGE = 'PGRST124'

/** Who would change which photo. */
export interface PhotoChangeQuestion {
  readonly table: PhotoTable
  readonly photoId: string
  readonly change: 'delete' | { readonly caption: string | null } | { readonly annotation: unknown }
  readonly anonKey: string
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/**
 * Asks Postgres whether this person may change a photo that the server has: the change is sent with a limit of no rows, so that it is judged and can never
 * be kept, whatever the server lets a request choose.
 *
 * @returns `undefined` when that cannot be known: the server has another objection
 * @throws when the server does not answer, or something between in its place
 */
export async function judgePhotoChange(question: PhotoChangeQuestion): Promise<boolean | undefined> {
  const { table, photoId, change, anonKey, token, fetch } = question
  const { schema, name } = table.source
  const answer = await fetch(`/rest/v1/${encodeURIComponent(name)}?id=eq.${encodeURIComponent(photoId)}`, {
    method: change === 'delete' ? 'DELETE' : 'PATCH',
    headers: {
      apikey: anonKey,
      authorization: `Bearer ${token}`,
      'content-profile': schema,
      'content-type': 'application/json',
      prefer: 'handling=strict, max-affected=0, return=minimal',
    },
    ...(change === 'delete' ? {} : { body: JSON.stringify(change) }),
  })
  assertOwnAnswer(answer)
  // No row was one that it may change.
  if (answer.ok) return false
  const { code } = (await answer.json().catch(() => ({}))) as { readonly code?: string }
  if (code === WOULD_CHANGE) return true
  return code === NOT_ALLOWED ? false : undefined
}
