import { quoteLiteral } from '@holdfast/postgres'
import type { LeftOut } from './report.ts'

/** A pgmq queue: tables `pgmq.q_NAME` and `pgmq.a_NAME`, registered by a row in `pgmq.meta`. */
export interface Queue {
  readonly name: string
  readonly isUnlogged: boolean
  readonly isPartitioned: boolean
  /** Whether its tables belong to the extension, as in older versions of pgmq. Dumps omit such tables. */
  readonly isMember: boolean
}

/** Lists the queues of a database that has `pgmq.meta`. */
export const LIST_QUEUES = `
  select m.queue_name as name, m.is_unlogged as "isUnlogged", m.is_partitioned as "isPartitioned",
         exists (select from pg_catalog.pg_depend d
                  where d.classid = 'pg_catalog.pg_class'::regclass and d.deptype = 'e'
                    and d.objid = pg_catalog.to_regclass(pg_catalog.format('pgmq.%I', pg_catalog.lower('q_' || m.queue_name)))) as "isMember"
    from pgmq.meta m order by 1`

/**
 * @param areMembers - only queues whose tables belong to the extension, or only the others
 * @returns those another server can create: partitioned ones need `pg_partman`
 */
export function queuesToMake(queues: readonly Queue[], areMembers?: boolean): readonly Queue[] {
  return queues.filter(
    ({ isMember, isPartitioned }) => !isPartitioned && (areMembers === undefined || isMember === areMembers),
  )
}

/** @returns a line with the statement that creates a queue, or registers one whose tables exist already */
export function renderQueue({ name, isUnlogged }: Queue): string {
  return `SELECT pgmq.${isUnlogged ? 'create_unlogged' : 'create'}(${quoteLiteral(name)});\n`
}

/** @returns notes on queues that require `pg_partman` */
export function leftOutQueues(queues: readonly Queue[]): readonly LeftOut[] {
  return queues
    .filter(({ isPartitioned }) => isPartitioned)
    .map(({ name }) => ({ what: `Partitions of queue ${name}`, why: 'they need pg_partman: make the queue by hand' }))
}
