import type { ClientBase } from 'pg'
import { HoldfastError, errorMessage, type Logger } from '@holdfast/foundation'
import { queryable, type Pool } from '../connection/pool.ts'
import { SQLSTATE, sqlstateOf } from '../connection/sqlstate.ts'
import { sql } from '../sql/sql.ts'
import { forgetLost } from './lost-schemas.ts'
import { readMigrations, type Migration, type MigrationSource } from './migration.ts'
import { planMigrations, type AppliedMigration } from './plan-migrations.ts'
import { withSessionLock } from './session-lock.ts'

/** Migrations that precede all services: roles, schemas, default privileges and catalog notifications. */
export const platformMigrations: MigrationSource = {
  name: 'platform',
  directory: new URL('../../migrations/', import.meta.url),
  witness: 'holdfast.on_catalog_change',
  repeatable: ['platform/0001_roles', 'platform/0005_schema_owner', 'platform/0010_project_role'],
}

export interface MigrateOptions {
  /** Connected as the superuser. */
  readonly pool: Pool
  /** In order of application. */
  readonly sources: readonly MigrationSource[]
  readonly logger: Logger
  /** See `SessionLockOptions.idleMaxMs`. */
  readonly idleMaxMs?: number
}

/** Advisory lock that serializes migrations of a database; an arbitrary number. */
const LOCK_KEY = 4_711_054_321

/**
 * Applies pending migrations, each in one transaction with its record, so a crash leaves only complete ones. They become durable with the last; a crash before
 * that means applying them again.
 *
 * @returns the newly applied ones
 * @throws {HoldfastError} `migration_failed` with file, line and Postgres's message; errors of {@link planMigrations}
 */
export async function applyMigrations(options: MigrateOptions): Promise<readonly Migration[]> {
  const { pool, sources, logger, idleMaxMs } = options
  const migrations = sources.flatMap(readMigrations)
  return pool.withClient(async (client) => {
    const onNotice = (notice: { message?: string | undefined }): void =>
      logger.log('debug', notice.message ?? '', { source: 'migration' })
    client.on('notice', onNotice)
    try {
      return await withSessionLock(client, { key: LOCK_KEY, logger, idleMaxMs }, async (limits) => {
        await ensureRecord(client)
        for (const again of await forgetLost(queryable(client), sources, migrations, logger))
          await client.query(again.sql)
        const pending = planMigrations(migrations, await readApplied(client))
        for (const migration of pending) {
          await applyOne(client, migration, migration === pending.at(-1))
          // A migration may have changed settings for its own statements.
          await client.query(`reset all; ${limits}`)
          logger.log('info', 'applied migration', { source: migration.source, name: migration.name })
        }
        return pending
      })
    } finally {
      client.off('notice', onNotice)
    }
  })
}

async function ensureRecord(client: ClientBase): Promise<void> {
  const connection = queryable(client)
  const [found] = await connection.query<{ exists: boolean }>(
    sql`select to_regclass('holdfast.migrations') is not null as exists`,
  )
  if (!found?.exists) {
    await client.query(`
      create schema if not exists holdfast;
      create table holdfast.migrations (
        source text not null,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now(),
        primary key (source, name)
      );
      comment on table holdfast.migrations is 'Migrations that have been applied to this database.';
    `)
  }
}

async function readApplied(client: ClientBase): Promise<readonly AppliedMigration[]> {
  return queryable(client).query<AppliedMigration>(
    sql`select source, name, checksum from holdfast.migrations order by applied_at, source, name`,
  )
}

async function applyOne(client: ClientBase, migration: Migration, isLast: boolean): Promise<void> {
  await client.query(isLast ? 'begin' : 'begin; set local synchronous_commit = off')
  try {
    await client.query(migration.sql)
    await queryable(client).query(sql`
      insert into holdfast.migrations (source, name, checksum)
      values (${migration.source}, ${migration.name}, ${migration.checksum})
    `)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined) // without a connection there is no transaction either
    const position = Number((error as { position?: unknown }).position)
    const line = position > 0 ? `, line ${migration.sql.slice(0, position).split('\n').length}` : ''
    throw new HoldfastError(
      'migration_failed',
      500,
      `The migration ${migration.source}/${migration.name} failed${line}: ${errorMessage(error)}`,
      {
        cause: error,
        ...(sqlstateOf(error) === SQLSTATE.insufficientPrivilege
          ? { hint: 'Start once with a superuser in DATABASE_URL.' }
          : {}),
      },
    )
  }
}
