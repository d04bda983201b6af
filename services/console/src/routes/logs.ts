import { LOG_LEVELS, LOG_SERVICES, type LogEntry, type LogPage } from '@holdfast/protocol'
import { Type } from 'typebox'
import type { Pool } from '@holdfast/postgres'
import { PAGE_ROWS, PAGE_ROWS_MAX } from '../limits.ts'
import { maskEntry } from '../logs/mask-entry.ts'
import { matchesFilter } from '../logs/match-entry.ts'
import { hasRole } from '../operators/require-operator.ts'
import { route, type Route } from '../routing/route.ts'
import { maskEmail } from '../users/mask.ts'
import { findUserIds, readEmails } from '../users/name-users.ts'

export interface LogSearch {
  /** Only entries before this position. */
  readonly before?: string | undefined
  /** Only entries from this position. */
  readonly after?: string | undefined
  /** Time range in ms since the epoch. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** A text that every match has, in any case. Lines without it are not parsed. */
  readonly needle?: string | undefined
  readonly matches: (entry: LogEntry) => boolean
  readonly limit: number
}

export interface FoundLogEntries {
  /** Newest first. */
  readonly entries: readonly (LogEntry & { readonly id: string })[]
  /** Position to go on from; missing at the end of the log. */
  readonly next?: string
  /** Set if the search ended before it found enough. */
  readonly searchedTo?: string
  /** Position of the end of the log. */
  readonly newest?: string
}

/** The log as the server keeps it. */
export interface LogSource {
  /** Lines that were not kept. */
  readonly dropped: number
  /** Finds entries for a limited time. */
  search(search: LogSearch): Promise<FoundLogEntries>
}

export interface LogRoutesNeeds {
  /** Reads schema `auth`. */
  readonly pool: Pool
  readonly logs: LogSource
}

const Position = Type.Optional(Type.String({ pattern: '^\\d{13}-[0-9a-f]{6}:\\d{1,9}$' }))
const Time = Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,6})?)?Z$' }))
const Text = Type.Optional(Type.String({ maxLength: 255 }))

/** The log of this server. Viewers see no messages that quote users. */
export function logRoutes({ pool, logs }: LogRoutesNeeds): readonly Route[] {
  return [
    route('GET /logs', {
      access: 'viewer',
      query: Type.Object({
        service: Type.Optional(Type.Union(LOG_SERVICES.map((name) => Type.Literal(name)))),
        level: Type.Optional(Type.Union(LOG_LEVELS.map((name) => Type.Literal(name)))),
        request: Type.Optional(Type.String({ maxLength: 128 })),
        /** Id of a user; for developers also part of address, name or phone. */
        user: Text,
        status: Type.Optional(Type.String({ pattern: '^[1-5](\\d\\d|xx)$' })),
        text: Text,
        from: Time,
        to: Time,
        /** Positions: `id` or `newest` of an earlier page. */
        before: Position,
        after: Position,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
      }),
      run: async ({ query, session }): Promise<LogPage> => {
        const { service, level, request: requestId, user, status, text, from, to, limit = PAGE_ROWS } = query
        const isDeveloper = hasRole(session, 'developer')
        const show = isDeveloper ? (entry: LogEntry): LogEntry => entry : maskEntry
        const users = user ? await findUserIds(pool, user, isDeveloper) : undefined
        const filter = { service, level, requestId, users, status, text: text || undefined }
        const { entries, ...found } = await logs.search({
          ...query,
          fromMs: from === undefined ? undefined : Date.parse(from),
          toMs: to === undefined ? undefined : Date.parse(to),
          needle: requestId ?? (users?.length === 1 ? users[0] : filter.text),
          matches: (entry) => matchesFilter(show(entry), filter),
          limit,
        })
        const emails = await readEmails(
          pool,
          entries.map(({ userId }) => userId),
        )
        return {
          ...found,
          entries: entries.map(({ id, ...entry }) => {
            const email = emails.get(entry.userId ?? '') ?? null
            return { ...show(entry), id, email: isDeveloper ? email : maskEmail(email) }
          }),
          hasGap: query.after !== undefined && found.next !== undefined,
          dropped: logs.dropped,
        }
      },
    }),
  ]
}
