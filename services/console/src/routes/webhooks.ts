import { sql, type Transaction } from '@holdfast/postgres'
import type { RequestOutcome, WaitingRequest, WebhookList } from '@holdfast/protocol'
import { Type } from 'typebox'
import { requestUnknown } from '../errors.ts'
import { CONTENT_CHARS_SHOWN, WEBHOOKS_MAX } from '../limits.ts'
import { hasRole } from '../operators/require-operator.ts'
import { countedId } from '../routing/check-input.ts'
import { route, type Route } from '../routing/route.ts'
import { type OpenTableSession, runAsIdentity } from '../tables/table-session.ts'

export interface WebhookSources {
  /** Makes a request due whose last attempt failed. @returns whether there is one */
  sendNow(id: string): Promise<boolean>
}

const PROJECT = { kind: 'postgres' } as const

/** Requests that the database sends, read and cancelled as the project's role. URLs and responses may hold keys and values, so viewers see neither. */
export function webhookRoutes(openSession: OpenTableSession, webhooks: WebhookSources): readonly Route[] {
  return [
    route('GET /webhooks', {
      access: 'viewer',
      query: Type.Object({ state: Type.Optional(Type.Literal('failed')) }),
      run: async ({ query, session }): Promise<WebhookList> => {
        const mayRead = hasRole(session, 'developer')
        return await runAsIdentity(openSession, PROJECT, { isReadOnly: true }, async (tx) => {
          const [row] = await tx.query<{ ours: boolean }>(
            sql`select to_regclass('net.holdfast_full') is not null as ours`,
          )
          if (row?.ours !== true) return { isOurs: false, waiting: [], outcomes: [], full: [] }
          return {
            isOurs: true,
            waiting: await listWaiting(tx, mayRead),
            outcomes: await listOutcomes(tx, mayRead, query.state === 'failed'),
            full: await tx.query(
              sql`select source, reason from net.holdfast_full order by source limit ${WEBHOOKS_MAX}`,
            ),
          }
        })
      },
    }),
    route('POST /webhooks/:id/send', {
      access: 'developer',
      action: 'send_webhook',
      run: async ({ parameters, note }) => {
        const id = countedId(parameters)
        note({ target: `request ${id}` })
        if (!(await webhooks.sendNow(id))) throw requestUnknown()
      },
    }),
    route('DELETE /webhooks/:id', {
      access: 'developer',
      action: 'cancel_webhook',
      run: async ({ parameters, note }) => {
        const id = countedId(parameters)
        note({ target: `request ${id}` })
        const [gone] = await runAsIdentity(openSession, PROJECT, { isReadOnly: false }, (tx) =>
          tx.query<{ method: string; source: string; attempts: number }>(sql`
            delete from net.http_request_queue where id = ${id}::bigint returning method, source, attempts`),
        )
        if (!gone) throw requestUnknown()
        note({ before: gone })
      },
    }),
  ]
}

function listWaiting(tx: Transaction, mayRead: boolean): Promise<readonly WaitingRequest[]> {
  return tx.query<WaitingRequest>(sql`
    select id::text, method, case when ${mayRead}::boolean then left(url, 2000) else receiver end as url, source, attempts,
           due_at as "dueAt", case when ${mayRead}::boolean then left(last_error, 2000) end as "lastError", created as "createdAt"
      from net.http_request_queue order by due_at, id limit ${WEBHOOKS_MAX}::int`)
}

function listOutcomes(tx: Transaction, mayRead: boolean, onlyFailed: boolean): Promise<readonly RequestOutcome[]> {
  return tx.query<RequestOutcome>(sql`
    select r.id::text, h.webhook, r.status_code as status,
           case when ${mayRead}::boolean then left(r.error_msg, 2000) when r.error_msg is not null then 'Shown to developers only.' end as error,
           case when ${mayRead}::boolean then left(r.content, ${CONTENT_CHARS_SHOWN}::int) end as content, r.created as at
      from net._http_response r
      left join lateral (
        select format('%s on %s', h.hook_name, case when c.oid is null then 'a deleted table' else format('%I.%I', n.nspname, c.relname) end) as webhook
          from supabase_functions.hooks h left join (pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace)
            on c.oid::bigint::integer = h.hook_table_id
         where h.request_id = r.id limit 1) h on true
     where not ${onlyFailed}::boolean or r.error_msg is not null or r.status_code >= 400
     order by r.created desc, r.id desc limit ${WEBHOOKS_MAX}::int`)
}
