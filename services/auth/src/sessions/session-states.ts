import { createBatcher, type HoldfastError } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { sessionExpired, sessionNotFound, userBanned } from '../errors.ts'
import { SESSION_STATES_MAX, SESSIONS_ASKED_TOGETHER_MAX } from '../limits.ts'

/** State that decides whether a session's tokens are valid. */
export interface SessionState {
  /** The session's user; `undefined` without such a session or account. */
  readonly userId: string | undefined
  /** Milliseconds since the epoch; 0 when not banned. */
  readonly bannedUntilMs: number
  /** When the session expires, in ms since the epoch. */
  readonly endsAtMs: number
  /** When the state was read from Postgres, in ms since the epoch. */
  readonly readAtMs: number
}

/** An announced change. */
export type Announcement =
  | { readonly kind: 'session'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'user'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all' }

/** Returns why a session's tokens are refused for a user; `undefined` if they are valid. */
export function judgeState(state: SessionState, userId: string, nowMs: number): HoldfastError | undefined {
  if (state.userId !== userId) return sessionNotFound()
  if (state.bannedUntilMs > nowMs) return userBanned(403)
  if (state.endsAtMs <= nowMs) return sessionExpired()
  return undefined
}

/** Returns whether an announcement concerns this session of this user. */
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

/** A cache of session states. */
export interface SessionStates {
  /** State at `since` (ms since the epoch) or later; `undefined` if Postgres must be queried. */
  find(sessionId: string, since: number): SessionState | undefined
  /** Reads from Postgres. Concurrent reads are batched. */
  read(sessionId: string): Promise<SessionState>
  /** Invalidates the sessions of an announcement, including reads in progress. */
  forget(announcement: Announcement): void
}

interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly banned_until: Date | null
  readonly not_after: Date | null
}

/** @param now - returns ms since the epoch */
export function createSessionStates(pool: Pool, now: () => number): SessionStates {
  /** Ordered by time of reading, oldest first. */
  const known = new Map<string, SessionState>()
  /** Announcements received during the current read; `undefined` without a read. */
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

  /** Repeats the read for sessions announced during it, because the result may be older than the announcement. */
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
