import type { HoldfastError } from '@holdfast/foundation'
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
  /** Asks Postgres; questions of the same turn, and those that come while one is under way, go together. */
  read(sessionId: string): Promise<SessionState>
  /** Forgets what an announcement concerns, also where the answer is still on its way. */
  forget(announcement: Announcement): void
}

interface Question {
  readonly resolve: (state: SessionState) => void
  readonly reject: (error: unknown) => void
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
  let questions = new Map<string, Question[]>()
  let isAsking = false
  /** Announcements since the running query was sent. */
  let announced: Announcement[] = []

  function remember(sessionId: string, state: SessionState): void {
    known.delete(sessionId)
    known.set(sessionId, state)
    if (known.size > SESSION_STATES_MAX) known.delete(known.keys().next().value ?? sessionId)
  }

  async function askAll(): Promise<void> {
    isAsking = true
    while (questions.size > 0) {
      const asked = new Map([...questions].slice(0, SESSIONS_ASKED_TOGETHER_MAX))
      for (const sessionId of asked.keys()) questions.delete(sessionId)
      await ask(asked)
    }
    isAsking = false
  }

  async function ask(asked: ReadonlyMap<string, Question[]>): Promise<void> {
    announced = []
    const readAtMs = now()
    try {
      const found = await readStates(pool, [...asked.keys()], readAtMs)
      for (const [sessionId, waiting] of asked) {
        const state = found.get(sessionId) ?? { userId: undefined, bannedUntilMs: 0, endsAtMs: Infinity, readAtMs }
        // Announced meanwhile: whether the answer is from before is not known, so Postgres is asked again.
        if (announced.some((one) => concerns(one, sessionId, state.userId))) {
          questions.set(sessionId, [...(questions.get(sessionId) ?? []), ...waiting])
          continue
        }
        remember(sessionId, state)
        for (const question of waiting) question.resolve(state)
      }
    } catch (error) {
      for (const question of [...asked.values()].flat()) question.reject(error)
    }
  }

  return {
    find(sessionId, since) {
      const state = known.get(sessionId)
      return state && state.readAtMs >= since ? state : undefined
    },
    read(sessionId) {
      return new Promise((resolve, reject) => {
        const waiting = questions.get(sessionId) ?? []
        waiting.push({ resolve, reject })
        questions.set(sessionId, waiting)
        if (!isAsking) queueMicrotask(() => void (isAsking || askAll()))
      })
    },
    forget(announcement) {
      if (isAsking) announced.push(announcement)
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
