import type { OperatorRole } from '@holdfast/protocol'
import type { Logger } from '@holdfast/foundation'
import type { Static, TSchema } from 'typebox'
import type { SessionState } from '../operators/sessions.ts'
import type { AuditEntry } from '../audit-log.ts'

/** A request as the gateway hands it in. */
export interface ConsoleRequest {
  readonly id: string
  readonly method: string
  /** Below `/console/v1`, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly address: string
  readonly userAgent: string | undefined
  /** Key of the session cookie. */
  readonly sessionKey: string | undefined
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** Response of a route: a JSON value or a page, and a change of the session cookie. */
export interface ConsoleAnswer {
  readonly status: number
  readonly body: unknown
  /** HTML for a frame of the console instead of `body`. Its scripts never run. */
  readonly page?: string
  /** `null` removes the cookie. */
  readonly sessionKey?: string | null
}

/** What a handler knows about its request. */
export interface Call<Query = unknown, Body = unknown> {
  readonly request: ConsoleRequest
  readonly parameters: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The session; its operator is missing only for open routes. */
  readonly session: SessionState
  /** Adds to the audit entry of the action. `operator`: who signed in by it. */
  readonly note: (entry: Partial<Pick<AuditEntry, 'operator' | 'target' | 'before' | 'after'>>) => void
  readonly logger: Logger
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface RouteBase {
  readonly method: Method
  /** With parameters: `/operators/:id`. */
  readonly path: string
  /** Role that the route requires. `open`: no session; `incomplete`: a session whose second factor may be missing. */
  readonly access: OperatorRole | 'open' | 'incomplete'
  /** Name in the audit log. Required for all methods but GET; a GET has one if it reveals personal data or runs SQL. */
  readonly action?: string
  readonly querySchema?: TSchema
  readonly bodySchema?: TSchema
  readonly run: (call: Call) => Promise<ConsoleAnswer>
}

export type Route = RouteBase

interface RouteDeclaration<Query extends TSchema, Body extends TSchema> extends Pick<RouteBase, 'access' | 'action'> {
  readonly query?: Query
  readonly body?: Body
  /** Returns the response as JSON with status 200, or a whole answer made by {@link answer}. */
  readonly run: (call: Call<Static<Query>, Static<Body>>) => Promise<unknown>
}

const ANSWERS = new WeakSet<object>()

/** Creates an answer with another status or a session cookie. */
export function answer(given: Partial<ConsoleAnswer>): ConsoleAnswer {
  const made = { status: 200, body: {}, ...given }
  ANSWERS.add(made)
  return made
}

function isAnswer(value: unknown): value is ConsoleAnswer {
  return typeof value === 'object' && value !== null && ANSWERS.has(value)
}

/** Declares a route, written as `route('GET /operators/:id', { … })`. */
export function route<Query extends TSchema, Body extends TSchema>(
  target: `${Method} /${string}`,
  { access, action, query, body, run }: RouteDeclaration<Query, Body>,
): Route {
  const [method = '', path = ''] = target.split(' ')
  return {
    method: method as Method,
    path,
    access,
    ...(action !== undefined && { action }),
    ...(query && { querySchema: query }),
    ...(body && { bodySchema: body }),
    run: async (call) => {
      // The dispatcher has checked both against the schemas.
      const result = await run(call as Call<Static<Query>, Static<Body>>)
      return isAnswer(result) ? result : answer({ body: result ?? {} })
    },
  }
}
