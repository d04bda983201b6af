import { quoteLiteral } from '@holdfast/postgres'
import type { LeftOut } from './report.ts'

/** A queue of pgmq: its tables are `pgmq.q_NAME` and `pgmq.a_NAME`, and a row of `pgmq.meta` makes it known. */
export interface Queue {
  readonly name: string
  readonly isUnlogged: boolean
  readonly isPartitioned: boolean
  /** Whether its tables belong to the extension, as older versions of pgmq make them: dumps do not have such tables. */
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
 * @param areMembers - only those whose tables belong to the extension, or only the others
 * @returns those that another server can make: partitions need `pg_partman`
 */
export function queuesToMake(queues: readonly Queue[], areMembers?: boolean): readonly Queue[] {
  return queues.filter(
    ({ isMember, isPartitioned }) => !isPartitioned && (areMembers === undefined || isMember === areMembers),
  )
}

/** @returns the statement that makes a queue, or makes one known whose tables are there already, with its line end */
export function renderQueue({ name, isUnlogged }: Queue): string {
  return `SELECT pgmq.${isUnlogged ? 'create_unlogged' : 'create'}(${quoteLiteral(name)});\n`
}

/** @returns what is said of queues that other servers do not have without `pg_partman` */
export function leftOutQueues(queues: readonly Queue[]): readonly LeftOut[] {
  return queues
    .filter(({ isPartitioned }) => isPartitioned)
    .map(({ name }) => ({ what: `Partitions of queue ${name}`, why: 'they need pg_partman: make the queue by hand' }))
}
