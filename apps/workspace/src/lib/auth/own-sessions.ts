import { AuthApiError, AuthSessionMissingError } from '@supabase/supabase-js'
import type { HoldfastClient } from '@holdfast/client'
import * as v from 'valibot'
import { ownRequest } from '../data/own-request.ts'

const text = v.nullish(v.string())

const sessionSchema = v.pipe(
  v.object({
    id: v.string(),
    created_at: v.string(),
    refreshed_at: text,
    not_after: text,
    user_agent: text,
    tag: text,
    ip: text,
    aal: text,
    amr: v.nullish(v.array(v.object({ method: v.string(), timestamp: v.number() }))),
    current: v.boolean(),
  }),
  v.transform((row) => ({
    id: row.id,
    startedAt: new Date(row.created_at),
    /** Time of last activity. */
    seenAt: new Date(row.refreshed_at ?? row.created_at),
    endsAt: row.not_after ? new Date(row.not_after) : undefined,
    userAgent: row.user_agent ?? undefined,
    ip: row.ip ?? undefined,
    hasSecondStep: row.aal === 'aal2',
    /** Started by an operator with a support link. */
    isSupport: row.tag === 'support',
    /** Authentication methods, oldest first. */
    methods: (row.amr ?? []).toSorted((a, b) => a.timestamp - b.timestamp).map(({ method }) => method),
    isCurrent: row.current,
  })),
)

/** A session of the user. */
export type OwnSession = v.InferOutput<typeof sessionSchema>

/** Errors in GoTrue's form, where `code` is the status, or in its newer one, where `code` is the name. */
const refusal = v.object({
  code: v.optional(v.union([v.string(), v.number()])),
  error_code: v.optional(v.string()),
  msg: v.optional(v.string()),
  message: v.optional(v.string()),
})

/** The part of the client with the session. */
type SessionSource = { readonly supabase: { readonly auth: Pick<HoldfastClient['supabase']['auth'], 'getSession'> } }

/**
 * Lists the user's sessions: this device first, then by last activity. supabase-js has no such call; the endpoint is Holdfast's own.
 *
 * @throws {AuthApiError} if the server refuses, `TypeError` without a connection or after a timeout of 30 s
 */
export async function listOwnSessions(client: SessionSource, anonKey: string): Promise<readonly OwnSession[]> {
  const response = await ask(client, anonKey, 'GET', '/auth/v1/user/sessions')
  const sessions = v.parse(v.array(sessionSchema), await response.json())
  return sessions.toSorted(
    (a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.seenAt.getTime() - a.seenAt.getTime(),
  )
}

/** Ends a session; its device must sign in again. Throws like {@link listOwnSessions}. */
export async function endOwnSession(client: SessionSource, anonKey: string, id: string): Promise<void> {
  await ask(client, anonKey, 'DELETE', `/auth/v1/user/sessions/${encodeURIComponent(id)}`)
}

async function ask(client: SessionSource, anonKey: string, method: string, path: string): Promise<Response> {
  const { data, error } = await client.supabase.auth.getSession()
  if (error) throw error
  if (!data.session) throw new AuthSessionMissingError()
  const response = await ownRequest(path, {
    method,
    headers: { apikey: anonKey, authorization: `Bearer ${data.session.access_token}` },
    cache: 'no-store',
  })
  if (response.ok) return response
  const body = v.safeParse(v.pipe(v.string(), v.parseJson(), refusal), await response.text())
  const {
    code,
    error_code: errorCode,
    msg,
    message = `${path} answered ${response.status}`,
  } = body.success ? body.output : {}
  throw new AuthApiError(msg ?? message, response.status, errorCode ?? (typeof code === 'string' ? code : undefined))
}
