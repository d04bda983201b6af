/** Postgres: the cluster, connections, SQL text, migrations and the catalog. */
export type { Cluster } from './cluster/cluster.ts'
export { AUTH_ROLE, EVALUATOR_ROLE, READER_ROLE, roleUrl } from './cluster/role-url.ts'
export { REQUEST_ROLE } from './cluster/cluster.ts'
export { openEmbeddedCluster } from './cluster/embedded-cluster.ts'
export { openExternalCluster } from './cluster/external-cluster.ts'
export { POSTGRES_MAJOR } from './cluster/binaries.ts'
export { BEFORE_RESET, setClusterAside } from './cluster/set-cluster-aside.ts'
export { findRunningCluster } from './cluster/running-cluster.ts'
export { isExecutable, ownerOf, resolveProgramIdentity, type Identity } from './cluster/identity.ts'
export { findProcess } from './cluster/processes.ts'
export { parseChosenSettings } from './cluster/chosen-settings.ts'
export { GITIGNORE, prepareDataFolder } from './cluster/data-folder.ts'
export { keepPrivate } from './cluster/keep-private.ts'
export { readLockHolder } from './cluster/lock-file.ts'
export { quoteIdentifier, quoteLiteral, quoteName } from './sql/identifier.ts'
export { SqlFragment, sql } from './sql/sql.ts'
export {
  connectAhead,
  createPool,
  queryable,
  type Connections,
  type Pool,
  type PoolOptions,
  type Queryable,
  type Transaction,
} from './connection/pool.ts'
export { sharePool, type PoolShare, type SharedPool } from './connection/shared-pool.ts'
export { withinTransaction } from './connection/within-transaction.ts'
export { assumeSession, assumeStep, AUTHOR_PREFIX, authorOf, runAs, type Session } from './connection/run-as.ts'
export { copyIn } from './wire/copy-in.ts'
export { Utf8 } from './wire/message-writer.ts'
export { copyDataMessage, MESSAGE, queryMessage } from './wire/messages.ts'
export { runScript, type ScriptResult } from './wire/run-script.ts'
export { runStatements, type StatementResult, type StatementsOutcome } from './wire/run-statements.ts'
export { readServerError } from './wire/server-error.ts'
export { READ_BYTES, bufferedSocket } from './wire/read-buffer.ts'
export {
  openStatementConnection,
  type PreparedStatement,
  type StatementConnection,
} from './wire/statement-connection.ts'
export { takeOver, type Wire } from './wire/take-over.ts'
export { RowTooLarge, runPipeline, type PipelineOptions, type PipelineStep } from './pipeline/pipeline.ts'
export { RESET_SESSION, runThenReset, type AnswerThenReset } from './pipeline/run-then-reset.ts'
export { decodeRows, type SegmentAnswer, type StepAnswer } from './pipeline/exchange.ts'
export { listen } from './connection/listen.ts'
export { rememberConnection } from './wire/lost-connections.ts'
export { openOwnConnection, type OwnConnection } from './connection/own-connection.ts'
export {
  renderSettings,
  SHARED_TRANSACTIONS,
  SHORT_TRANSACTIONS,
  TEXT_SETTINGS,
  withOwnSettings,
} from './connection/own-settings.ts'
export { SQLSTATE, isConnectionLoss, sqlstateOf } from './connection/sqlstate.ts'
export { applyMigrations, platformMigrations } from './migrate/apply-migrations.ts'
export { findLostSchemas } from './migrate/lost-schemas.ts'
export { readMigrations, type MigrationSource } from './migrate/migration.ts'
export { planMigrations, type AppliedMigration } from './migrate/plan-migrations.ts'
export { openRequestRole, recordRequestPassword } from './migrate/request-password.ts'
export { ensureRolePasswords } from './cluster/role-password.ts'
export { readCatalog, readRequestSettings } from './catalog/read-catalog.ts'
export { viewKey } from './catalog/relationships.ts'
export { readAroundLocks } from './catalog/around-locks.ts'
export {
  baseTypesOf,
  columnTypesOf,
  ENUM_LABELS,
  FOREIGN_KEYS,
  isSetByPostgres,
  lockedRelations,
  typeStructuresOf,
  uniqueIndexesOf,
  type TypeStructure,
} from './catalog/shared-queries.ts'
export { watchCatalog, type CatalogWatch } from './catalog/watch-catalog.ts'
export type { Catalog, Column, Parameter, Relationship, Routine, Table, UniqueIndex } from './catalog/catalog.ts'
export { dumpSchema } from './dump/dump-schema.ts'
export { copyOut } from './dump/copy-out.ts'
export { readScriptRows } from './wire/script-rows.ts'
export { openQuietClient } from './wire/quiet-client.ts'
export { openWatchedClient, type WatchedClient } from './wire/watched-client.ts'
