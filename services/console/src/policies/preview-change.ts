import { Semaphore } from '@holdfast/foundation'
import { isConnectionLoss, sql, SQLSTATE, sqlstateOf, type Pool, type Transaction } from '@holdfast/postgres'
import type { ChangePreview, PolicyIdentity, SqlError } from '@holdfast/protocol'
import { invalidRequest, previewBusy, previewTimeout, queryRefused } from '../errors.ts'
import { PREVIEW_ROWS_MAX, PREVIEW_USERS } from '../limits.ts'
import { refuseOutsideTransaction } from '../sql/outside-transaction.ts'
import { rolledBack } from '../tables/rolled-back.ts'
import type { OpenTableSession } from '../tables/table-session.ts'
import { refuseLastingEffects } from './lasting-effects.ts'
import { Rehearsal, type RehearsalUser } from './rehearsal.ts'

export interface PreviewNeeds {
  /** Of the superuser: finds users, and ends a preview that takes too long. */
  readonly pool: Pool
  readonly openSession: OpenTableSession
  /** Schemas whose tables sync. */
  readonly readSchemas: () => readonly string[]
}

export interface PreviewRequest {
  readonly text: string
  /** Whose devices are compared; a sample if none are named. */
  readonly users: readonly PolicyIdentity[]
  /** Aborts when nobody waits for the result. */
  readonly signal: AbortSignal
}

/** Previews SQL, one text at a time, because each holds locks. */
export type PreviewChange = (request: PreviewRequest) => Promise<ChangePreview>

/**
 * Runs SQL as the project in a transaction that is rolled back, and compares what devices would have before and after it. Locks of the SQL are held only while
 * the rows after it are read.
 *
 * @throws {HoldfastError} `busy`, `preview_timeout`, `invalid_request` for an unknown user
 */
export function createPreview(needs: PreviewNeeds): PreviewChange {
  const semaphore = new Semaphore({ permits: 1, waitingMax: 0, refuse: previewBusy })
  return async ({ text, users, signal }) => {
    const refused = (await refuseOutsideTransaction(text)) ?? refuseLastingEffects(text)
    if (refused) return failed(refused)
    return await semaphore.run({}, async () => {
      const people = await openUsers(needs, users)
      return await rehearse(needs, people, text, signal)
    })
  }
}

async function rehearse(
  { pool, openSession, readSchemas }: PreviewNeeds,
  users: readonly RehearsalUser[],
  text: string,
  signal: AbortSignal,
): Promise<ChangePreview> {
  const { connections } = (await openSession({ kind: 'postgres' })) ?? {}
  if (!connections) throw new Error('the project has a session')
  const started = performance.now()
  const late = new AbortController()
  const ending = AbortSignal.any([signal, late.signal])
  let timer: NodeJS.Timeout | undefined
  const limit = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => late.abort(), ms)
  }
  let stop: (() => void) | undefined
  try {
    return await rolledBack(
      (body) => connections.transaction(body),
      async (tx) => {
        await tx.execute(sql`set transaction isolation level repeatable read`)
        stop = await endOnAbort(pool, tx, ending)
        const found = await new Rehearsal(tx, users, readSchemas(), limit).run(text)
        return 'error' in found ? failed(found.error) : { ...found, ms: Math.round(performance.now() - started) }
      },
    )
  } catch (error) {
    const state = sqlstateOf(error)
    if (late.signal.aborted || state === SQLSTATE.queryCanceled) throw previewTimeout()
    throw state === undefined || isConnectionLoss(error) ? error : queryRefused(error as Error)
  } finally {
    clearTimeout(timer)
    stop?.()
  }
}

function failed(error: SqlError): ChangePreview {
  return { error, ms: 0, lockedMs: 0, locks: [], sequences: [], rowsMax: PREVIEW_ROWS_MAX, users: [], tables: [] }
}

/** Ends the session of a transaction when a signal aborts: the SQL may have set timeouts of its own. @returns stops waiting */
async function endOnAbort(pool: Pool, tx: Transaction, signal: AbortSignal): Promise<() => void> {
  const [row] = await tx.query<{ pid: number }>(sql`select pg_catalog.pg_backend_pid() as pid`)
  const end = (): void => {
    // The transaction fails with the connection; there is nobody to tell of a failure to end it.
    void pool.execute(sql`select pg_terminate_backend(${row?.pid ?? 0})`).catch(() => undefined)
  }
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return () => signal.removeEventListener('abort', end)
}

async function openUsers(
  { pool, openSession }: PreviewNeeds,
  chosen: readonly PolicyIdentity[],
): Promise<readonly RehearsalUser[]> {
  const users = chosen.length > 0 ? chosen : await sampleUsers(pool)
  const opened = await Promise.all(
    users.map(async (as): Promise<RehearsalUser> => {
      const session = (await openSession(as))?.session
      if (!session) throw invalidRequest(`There is no user "${as.kind === 'user' ? as.id : as.kind}".`)
      const { sub, email } = session.claims
      const label = as.kind === 'anon' ? 'Visitor' : typeof email === 'string' && email !== '' ? email : as.id
      return { shown: { label, role: session.role, ...(typeof sub === 'string' && { id: sub }) }, session }
    }),
  )
  // An address and an id may name the same user.
  return [...new Map(opened.map((user) => [user.shown.id ?? '', user])).values()]
}

/** Returns the users who signed in last. */
async function sampleUsers(pool: Pool): Promise<readonly PolicyIdentity[]> {
  const rows = await pool.query<{ id: string }>(sql`
    select id::text as id from auth.users
     where deleted_at is null and (banned_until is null or banned_until < now())
     order by last_sign_in_at desc nulls last, created_at desc limit ${PREVIEW_USERS}`)
  return rows.map(({ id }) => ({ kind: 'user', id }))
}
