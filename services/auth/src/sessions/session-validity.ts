import type { HoldfastError } from '@holdfast/foundation'
import { refreshSessionExpired } from '../errors.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import type { SessionRow } from './session-row.ts'

type SessionLimits = Pick<AuthOptions, 'sessionsTimebox' | 'sessionsInactivityTimeout'>

/**
 * Why a session no longer refreshes, or `undefined` while it does.
 *
 * @see Supabase documentation, "User sessions", "Limiting session lifetime and number of allowed sessions per user"
 */
export function judgeSession(session: SessionRow, limits: SessionLimits, nowMs: number): HoldfastError | undefined {
  const { sessionsTimebox, sessionsInactivityTimeout } = limits
  if (session.not_after !== null && session.not_after.getTime() <= nowMs) return refreshSessionExpired()
  if (sessionsTimebox > 0 && session.created_at.getTime() + sessionsTimebox * 1000 < nowMs) {
    return refreshSessionExpired()
  }
  if (sessionsInactivityTimeout > 0 && lastUsedMs(session) + sessionsInactivityTimeout * 1000 < nowMs) {
    return refreshSessionExpired('Inactivity')
  }
  return undefined
}

/** When a session was last refreshed, or else begun, in milliseconds since the epoch. */
export function lastUsedMs(session: SessionRow): number {
  return (session.refreshed_at ?? session.created_at).getTime()
}
