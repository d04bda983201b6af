import type { Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { noSuchSession } from '../errors.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { renderOwnSessions } from '../sessions/render-session.ts'
import { findSessionsOfUser } from '../sessions/session-row.ts'
import { isoNow, type Store, isUuid } from '../store.ts'
import { notAUuid } from './errors.ts'
import { findAccount } from './find-account.ts'
import type { Admin } from './require-admin.ts'

/**
 * Where a person is signed in, expired sessions included: they are rows, and an administrator looks at rows.
 *
 * @throws {HoldfastError} `user_not_found`
 */
export async function listSessions(pool: Pool, userId: string): Promise<Record<string, unknown>[]> {
  const user = await findAccount(pool, userId)
  return renderOwnSessions(pool, await findSessionsOfUser(pool, user.id))
}

/**
 * Signs a person out everywhere, or of one session.
 *
 * @param input.sessionId - all when `undefined`
 * @throws {HoldfastError} `user_not_found`, `session_not_found`, `validation_failed` (404)
 */
export async function endSessionsOf(
  { pool, clock }: Store,
  input: {
    readonly userId: string
    readonly sessionId: string | undefined
    readonly admin: Admin
    readonly address: string
  },
): Promise<void> {
  const { sessionId, admin, address } = input
  if (sessionId !== undefined && !isUuid(sessionId)) throw notAUuid('session_id')
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    const { id } = await findAccount(tx, input.userId)
    const scope = sessionId === undefined ? 'global' : 'local'
    const ended = await endSessions(tx, { userId: id, sessionId, scope })
    if (sessionId !== undefined && ended === 0) throw noSuchSession()
    const traits = { user_id: id, ...(sessionId === undefined ? {} : { session_id: sessionId }) }
    await recordAudit(tx, { action: 'logout', actor: admin, address, now, traits })
  })
}
