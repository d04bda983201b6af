import type { Session } from '@holdfast/postgres'
import { SLOW_USERS_MAX, SLOW_USER_MS } from '../limits.ts'

/** Users whose keys recently took too long to evaluate. They are evaluated separately, so others need not wait. */
export interface SlowUsers {
  has(session: Session): boolean
  add(session: Session): void
}

export function createSlowUsers(now: () => number = () => performance.now()): SlowUsers {
  const until = new Map<string, number>()
  return {
    has(session) {
      const end = until.get(idOf(session))
      return end !== undefined && now() < end
    },
    add(session) {
      const id = idOf(session)
      until.delete(id)
      until.set(id, now() + SLOW_USER_MS)
      const [oldest] = until.keys()
      if (until.size > SLOW_USERS_MAX && oldest !== undefined) until.delete(oldest)
    },
  }
}

function idOf({ role, claims }: Session): string {
  return JSON.stringify([role, claims['sub'] ?? null])
}
