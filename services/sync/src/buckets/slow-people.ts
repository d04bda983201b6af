import type { Session } from '@holdfast/postgres'
import { SLOW_PEOPLE_MAX, SLOW_PERSON_MS } from '../limits.ts'

/** People whose keys took too long a moment ago. They are asked for apart from the others, who would wait for them. */
export interface SlowPeople {
  has(session: Session): boolean
  add(session: Session): void
}

export function createSlowPeople(now: () => number = () => performance.now()): SlowPeople {
  const until = new Map<string, number>()
  return {
    has(session) {
      const end = until.get(idOf(session))
      return end !== undefined && now() < end
    },
    add(session) {
      const id = idOf(session)
      until.delete(id)
      until.set(id, now() + SLOW_PERSON_MS)
      const [oldest] = until.keys()
      if (until.size > SLOW_PEOPLE_MAX && oldest !== undefined) until.delete(oldest)
    },
  }
}

function idOf({ role, claims }: Session): string {
  return JSON.stringify([role, claims['sub'] ?? null])
}
