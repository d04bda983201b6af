export { quoteIdentifier, quoteLiteral, quoteName } from './sql/identifier.ts'
export { SqlFragment, sql } from './sql/sql.ts'
export { createPool, queryable, type Pool, type PoolOptions, type Queryable, type Transaction } from './connection/pool.ts'
export { assumeSession, runAs, type Session } from './connection/run-as.ts'
