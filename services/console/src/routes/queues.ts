import { Type } from 'typebox'
import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { type ListedQueue, QUEUE_COUNT_MAX, type QueueMessage } from '@holdfast/protocol'
import { messageUnknown, queueUnknown } from '../errors.ts'
import { PAGE_ROWS, QUEUE_MESSAGE_CHARS_MAX, QUEUES_MAX } from '../limits.ts'
import { countedId } from '../routing/check-input.ts'
import { route, type Route } from '../routing/route.ts'
import { type OpenTableSession, runAsIdentity } from '../tables/table-session.ts'

const PROJECT = { kind: 'postgres' } as const

/** Queues of pgmq. Everything runs as the project's role, because the project owns pgmq's tables and functions. */
export function queueRoutes(openSession: OpenTableSession): readonly Route[] {
  return [
    route('GET /queues', {
      access: 'viewer',
      run: async () => await runAsIdentity(openSession, PROJECT, { isReadOnly: true }, listQueues),
    }),
    route('GET /queues/:name/messages', {
      access: 'developer',
      query: Type.Object({ after: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })) }),
      run: async ({ parameters: { name = '' }, query: { after } }) => {
        const messages = await runAsIdentity(openSession, PROJECT, { isReadOnly: true }, async (tx) =>
          tx.query<QueueMessage>(sql`
            select msg_id::text as id, read_ct as reads, enqueued_at as "enqueuedAt", vt as "visibleAt",
                   left(message::text, ${QUEUE_MESSAGE_CHARS_MAX}::int) as message, octet_length(message::text) as bytes
              from ${await tableOf(tx, name)} where ${after ?? null}::bigint is null or msg_id > ${after ?? null}::bigint
             order by msg_id limit ${PAGE_ROWS + 1}::int`),
        )
        const page = messages.slice(0, PAGE_ROWS)
        return { messages: page, ...(messages.length > page.length && { next: page.at(-1)?.id }) }
      },
    }),
    removal(openSession, 'POST /queues/:name/messages/:id/archive', 'archive_message', 'archive'),
    removal(openSession, 'DELETE /queues/:name/messages/:id', 'delete_message', 'delete'),
  ]
}

function removal(
  openSession: OpenTableSession,
  target: 'POST /queues/:name/messages/:id/archive' | 'DELETE /queues/:name/messages/:id',
  action: string,
  call: 'archive' | 'delete',
): Route {
  return route(target, {
    access: 'developer',
    action,
    run: async ({ parameters, note }) => {
      const { name = '' } = parameters
      const id = countedId(parameters)
      note({ target: `message ${id} of queue ${name}` })
      await runAsIdentity(openSession, PROJECT, { isReadOnly: false }, async (tx) => {
        const table = await tableOf(tx, name)
        const [before] = await tx.query<{ message: string }>(sql`
          select left(message::text, ${QUEUE_MESSAGE_CHARS_MAX}::int) as message from ${table} where msg_id = ${id}::bigint`)
        if (!before) throw messageUnknown()
        note({ before })
        await tx.query(sql`select ${sql.identifier('pgmq', call)}(${name}::text, ${id}::bigint)`)
      })
    },
  })
}

async function listQueues(tx: Transaction): Promise<{ readonly queues: readonly ListedQueue[] }> {
  const [found] = await tx.query<{ exists: boolean }>(sql`select to_regclass('pgmq.meta') is not null as exists`)
  if (found?.exists !== true) return { queues: [] }
  const names = await tx.query<{ name: string; createdAt: string }>(sql`
    select queue_name as name, created_at as "createdAt" from pgmq.meta order by queue_name limit ${QUEUES_MAX}::int`)
  const queues: ListedQueue[] = []
  for (const { name, createdAt } of names) {
    const [counted] = await tx.query<Pick<ListedQueue, 'messages' | 'visible' | 'oldestAt'>>(sql`
      select count(*)::int as messages, count(*) filter (where vt <= clock_timestamp())::int as visible, min(enqueued_at) as "oldestAt"
        from (select vt, enqueued_at from ${await tableOf(tx, name)} order by msg_id limit ${QUEUE_COUNT_MAX}::int) first`)
    if (counted) queues.push({ name, createdAt, ...counted })
  }
  return { queues }
}

/** Returns the table of a queue, by the name that pgmq gives it. @throws {HoldfastError} `queue_unknown` */
async function tableOf(tx: Transaction, name: string): Promise<SqlFragment> {
  const [found] = await tx.query<{ table: string | null }>(sql`
    select case when to_regclass('pgmq.meta') is not null then lower('q_' || ${name}::text) end as table`)
  if (found?.table === null || found === undefined) throw queueUnknown()
  const [listed] = await tx.query(sql`select from pgmq.meta where queue_name = ${name}`)
  if (!listed) throw queueUnknown()
  return sql.identifier('pgmq', found.table)
}
