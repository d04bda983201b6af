import { parseJson } from '@holdfast/protocol'
import { type FileEntry, isUnsent } from '@holdfast/client'
import { assertOwnAnswer } from '../data/own-request.ts'
import type { PhotoTable } from '../data/photo-table.ts'
import { parseMarks } from './marks.ts'
import type { Photo } from './use-photos.ts'
import { type Right, useRight } from './use-right.ts'

/** Postgres's code when a policy or a grant says no. */
const NOT_ALLOWED = '42501'
/** PostgREST's code when a request would change more rows than it may; nothing of it is kept. */
const WOULD_CHANGE = 'PGRST124'

/** What a person may change of a photo. */
export interface PhotoRights {
  readonly mayCaption: boolean
  readonly mayDraw: boolean
}

/** Returns whether policies let this user edit a photo's caption and annotations, which are in its row. See {@link useMayDelete}. */
export function useMayChange(table: PhotoTable, photo: Photo, file: FileEntry | undefined): PhotoRights {
  const { id, caption, annotation } = photo
  const hasCaption = table.has.has('caption')
  const hasMarks = table.has.has('annotation')
  const mayTry = table.can.update && (hasCaption || hasMarks)
  const change = hasCaption ? { caption } : { annotation: annotation === null ? null : parseJson(annotation) }
  const right = useRight(
    `caption_photo/${id}`,
    mayTry && isOnServer(file) ? (asker) => judgePhotoChange({ table, photoId: id, change, ...asker }) : undefined,
  )
  const may = mayTry && isOffered(right)
  return { mayCaption: may && hasCaption, mayDraw: may && hasMarks && parseMarks(annotation) !== undefined }
}

/**
 * Returns whether policies let this user delete a photo. Local photos may be deleted; unknown counts as allowed. While the server is asked, nothing is offered,
 * to avoid withdrawing it.
 */
export function useMayDelete(table: PhotoTable, { id }: Photo, file: FileEntry | undefined): boolean {
  const mayTry = table.can.delete
  const right = useRight(
    `delete_photo/${id}`,
    mayTry && isOnServer(file)
      ? (asker) => judgePhotoChange({ table, photoId: id, change: 'delete', ...asker })
      : undefined,
  )
  return mayTry && isOffered(right)
}

const isOnServer = (file: FileEntry | undefined): boolean => file !== undefined && !isUnsent(file)
const isOffered = (right: Right): boolean => right === 'yes' || right === 'unknown'

/** Who would change which photo. */
interface PhotoChangeQuestion {
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
async function judgePhotoChange(question: PhotoChangeQuestion): Promise<boolean | undefined> {
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
