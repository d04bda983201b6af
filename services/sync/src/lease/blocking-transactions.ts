import { sql, type Queryable } from '@holdfast/postgres'

interface OpenTransaction {
  /** 0 for a prepared transaction, which has no process. */
  readonly pid: number
  readonly role: string | null
  readonly application: string | null
  readonly database: string | null
  readonly since: Date | null
}

/** Describes blocking transactions for operators, one sentence each, and how to end them. */
export async function describeTransactions(db: Queryable, pids: readonly number[]): Promise<readonly string[]> {
  const open = await db.query<OpenTransaction>(sql`
    select distinct b.pid, a.usename::text as role, a.application_name as application, a.datname::text as database, a.xact_start as since
      from unnest(${[...pids]}::int[]) b (pid)
      left join pg_catalog.pg_stat_activity a on a.pid = b.pid
     order by b.pid`)
  return open.map(render)
}

function render({ pid, role, application, database, since }: OpenTransaction): string {
  if (pid === 0) return 'a prepared transaction (pg_prepared_xacts has them; commit it or roll it back)'
  const name = application ? ` (${application})` : ''
  return `process ${pid} of role ${role ?? 'unknown'}${name} in database ${database ?? 'unknown'}, open since ${since?.toISOString() ?? 'unknown'} (pg_terminate_backend(${pid}) ends it)`
}
