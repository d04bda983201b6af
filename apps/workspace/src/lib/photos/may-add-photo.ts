import { assertOwnAnswer } from '../data/own-request.ts'
import type { PhotoTable } from '../data/photo-table.ts'
import { uuidV7 } from '../fields/uuid-v7.ts'
import { useRight } from './use-right.ts'

/** Postgres's code when a policy or a grant says no. */
const NOT_ALLOWED = '42501'
const NOT_KEPT = 'tx=rollback'

/** Who would add a photo to which record. */
export interface PhotoQuestion {
  readonly table: PhotoTable
  readonly link: string
  readonly recordId: string
  readonly userId: string
  readonly anonKey: string
  readonly token: string
  readonly fetch: typeof globalThis.fetch
}

/** Whether the server undoes on request: `Prefer: tx=rollback`. Asked once per page. */
let undoes: Promise<boolean> | undefined

/**
 * Asks Postgres whether this person may add a photo to a record: it judges the row that would be added, and undoes it.
 *
 * @returns `undefined` when that cannot be known: the server does not undo on request, or has another objection
 * @throws when the server does not answer, or something between in its place
 */
export async function mayAddPhoto(question: PhotoQuestion): Promise<boolean | undefined> {
  const { table, link, recordId, userId } = question
  // Where a request may not choose how it ends, the row would stay: a request that writes nothing tells.
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
  /** A policy says no, which the person is told. */
  readonly isRefused: boolean
}

/**
 * Whether this person may add photos to a record. What was never answered, off line for example, counts as allowed: the server decides about each photo.
 */
export function useMayAddPhoto(table: PhotoTable, link: string, recordId: string): AddRight {
  const right = useRight(`add_photo/${recordId}`, (asker) => mayAddPhoto({ table, link, recordId, ...asker }))
  const { insert } = table.can
  return { mayAdd: insert && right !== 'no' && right !== 'reading', isRefused: insert && right === 'no' }
}
