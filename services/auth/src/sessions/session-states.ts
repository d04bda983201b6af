import { createBatcher, type HoldfastError } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { sessionExpired, sessionNotFound, userBanned } from '../errors.ts'
import { SESSION_STATES_MAX, SESSIONS_ASKED_TOGETHER_MAX } from '../limits.ts'

/** Determines whether a session's tokens are still valid. */
export interface SessionState {
  /** Its user; `undefined` if there is no such session or account. */
  readonly userId: string | undefined
  /** Milliseconds since the epoch; 0 when not banned. */
  readonly bannedUntilMs: number
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly endsAtMs: number
  /** When Postgres was asked, in milliseconds since the epoch. */
  readonly readAtMs: number
}

/** An announced change. */
export type Announcement =
  | { readonly kind: 'session'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'user'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all' }

/** Why the tokens of a session are refused for a user, or `undefined` while they are good. */
export function judgeState(state: SessionState, userId: string, nowMs: number): HoldfastError | undefined {
  if (state.userId !== userId) return sessionNotFound()
  if (state.bannedUntilMs > nowMs) return userBanned(403)
  if (state.endsAtMs <= nowMs) return sessionExpired()
  return undefined
}

/** Whether an announcement is about this session of this user. */
export function concerns(announcement: Announcement, sessionId: string, userId: string | undefined): boolean {
  switch (announcement.kind) {
    case 'all':
      return true
    case 'session':
      return announcement.ids.has(sessionId)
    case 'user':
      return userId !== undefined && announcement.ids.has(userId)
  }
}

/** The states of sessions, remembered. */
export interface SessionStates {
  /** State at `since` (ms since the epoch) or later; `undefined` if Postgres must be queried. */
  find(sessionId: string, since: number): SessionState | undefined
  /** Asks Postgres; concurrent questions go together. */
  read(sessionId: string): Promise<SessionState>
  /** Forgets what an announcement concerns, also where the answer is still on its way. */
  forget(announcement: Announcement): void
}

interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly banned_until: Date | null
  readonly not_after: Date | null
}

/** @param now - milliseconds since the epoch */
export function createSessionStates(pool: Pool, now: () => number): SessionStates {
  /** The one read first is the first. */
  const known = new Map<string, SessionState>()
  /** What was announced since the running question was asked; `undefined` while none is. */
  let announced: Announcement[] | undefined
  const read = createBatcher<string, SessionState>({
    concurrency: 1,
    batchMax: SESSIONS_ASKED_TOGETHER_MAX,
    keyOf: (sessionId) => sessionId,
    collectsTask: true,
    run: readUnannounced,
  })

  function remember(sessionId: string, state: SessionState): void {
    known.delete(sessionId)
    known.set(sessionId, state)
    if (known.size > SESSION_STATES_MAX) known.delete(known.keys().next().value ?? sessionId)
  }

  /** Reads again what was announced meanwhile: whether the answer is from before is not known. */
  async function readUnannounced(sessionIds: readonly string[]): Promise<readonly SessionState[]> {
    const states = new Map<string, SessionState>()
    try {
      while (states.size < sessionIds.length) {
        const asked = sessionIds.filter((id) => !states.has(id))
        announced = []
        const readAtMs = now()
        const found = await readStates(pool, asked, readAtMs)
        for (const id of asked)
          states.set(id, found.get(id) ?? { userId: undefined, bannedUntilMs: 0, endsAtMs: Infinity, readAtMs })
        for (const [id, state] of states)
          if (announced.some((one) => concerns(one, id, state.userId))) states.delete(id)
          else remember(id, state)
      }
      return sessionIds.map((id) => states.get(id) as SessionState)
    } finally {
      announced = undefined
    }
  }

  return {
    find(sessionId, since) {
      const state = known.get(sessionId)
      return state && state.readAtMs >= since ? state : undefined
    },
    read,
    forget(announcement) {
      announced?.push(announcement)
      if (announcement.kind === 'session') for (const id of announcement.ids) known.delete(id)
      else for (const [id, { userId }] of known) if (concerns(announcement, id, userId)) known.delete(id)
    },
  }
}

async function readStates(
  pool: Pool,
  sessionIds: readonly string[],
  readAtMs: number,
): Promise<ReadonlyMap<string, SessionState>> {
  const rows = await pool.query<SessionRow>(sql`
    select sessions.id, sessions.user_id, users.banned_until, sessions.not_after
      from auth.sessions
      join auth.users on users.id = sessions.user_id
     where sessions.id = any (${sessionIds}::uuid[]) and users.deleted_at is null
  `)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        userId: row.user_id,
        bannedUntilMs: row.banned_until?.getTime() ?? 0,
        endsAtMs: row.not_after?.getTime() ?? Infinity,
        readAtMs,
      },
    ]),
  )
}
