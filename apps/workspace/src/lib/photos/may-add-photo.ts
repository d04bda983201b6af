import { assertOwnAnswer } from '../data/own-request.ts'
import type { PhotoTable } from '../data/photo-table.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { useRight } from './use-right.ts'

/** SQLSTATE for a denial by policy or grant. */
const NOT_ALLOWED = '42501'
const NOT_KEPT = 'tx=rollback'

/** The user and the record. */
export interface PhotoQuestion {
  readonly table: PhotoTable
  readonly link: string
  readonly recordId: string
  readonly userId: string
  readonly anonKey: string
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/** Whether the server supports `Prefer: tx=rollback`. Determined once per page. */
let undoes: Promise<boolean> | undefined

/**
 * Asks Postgres whether this user may add a photo to a record, by inserting a row and rolling back.
 *
 * @returns `undefined` if unknown: the server does not support rollback on request, or objects for another reason
 * @throws if the server does not respond, or an intermediary does
 */
export async function mayAddPhoto(question: PhotoQuestion): Promise<boolean | undefined> {
  const { table, link, recordId, userId } = question
  // Without rollback support the row would stay, so test with a request that writes nothing.
  undoes ??= ask(question, 'HEAD').then(({ headers }) => headers.get('preference-applied')?.includes(NOT_KEPT) ?? false)
  undoes.catch(() => (undoes = undefined))
  if (!(await undoes)) return undefined
  const id = uuidV7()
  const row = { id, [link]: recordId, path: `${userId}/${id}.jpg`, media_type: 'image/jpeg' }
  const answer = await ask(question, 'POST', JSON.stringify(row))
  assertOwnAnswer(answer)
  if (answer.ok) return true
  const { code } = (await answer.json().catch(() => ({}))) as { readonly code?: string }
  return code === NOT_ALLOWED ? false : undefined

  function ask({ anonKey, token, fetch }: PhotoQuestion, method: 'HEAD' | 'POST', body?: string): Promise<Response> {
    const { schema, name } = table.source
    const limit = method === 'HEAD' ? '?limit=0' : ''
    return fetch(`/rest/v1/${encodeURIComponent(name)}${limit}`, {
      method,
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${token}`,
        'accept-profile': schema,
        'content-profile': schema,
        'content-type': 'application/json',
        prefer: `${NOT_KEPT}, return=minimal`,
      },
      ...(body === undefined ? {} : { body }),
    })
  }
}

interface AddRight {
  readonly mayAdd: boolean
  /** Not known to be denied. */
  readonly mayTry: boolean
  /** The server is being asked. */
  readonly isAsking: boolean
  /** A policy denies it, which is shown to the user. */
  readonly isRefused: boolean
}

/** Returns whether this user may add photos to a record. Unknown (such as offline) counts as allowed: the server decides per photo. */
export function useMayAddPhoto(table: PhotoTable, link: string, recordId: string): AddRight {
  const right = useRight(`add_photo/${recordId}`, (asker) => mayAddPhoto({ table, link, recordId, ...asker }))
  const { insert } = table.can
  return {
    mayAdd: insert && (right === 'yes' || right === 'unknown'),
    mayTry: insert && right !== 'no',
    isAsking: insert && right === 'asking',
    isRefused: insert && right === 'no',
  }
}
