export { formatLsn, parseLsn, type Lsn } from './lsn.ts'
export type { Relation, ReplicationEvent, ReplicationStream, Tuple } from './events.ts'
