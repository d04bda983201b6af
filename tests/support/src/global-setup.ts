import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AUTH_ROLE,
  applyMigrations,
  createPool,
  ensureRolePasswords,
  EVALUATOR_ROLE,
  READER_ROLE,
  roleUrl,
  openEmbeddedCluster,
  platformMigrations,
  sql,
} from '@holdfast/postgres'
import { silentLogger } from '@holdfast/foundation'
import {
  ADMIN_URL_VARIABLE,
  PROJECT_URL_VARIABLE,
  REQUEST_URL_VARIABLE,
  TEMPLATE_DATABASE,
  withDatabase,
} from './test-cluster.ts'

/**
 * Starts one embedded Postgres for the whole test run, with a template database that has the platform's migrations. It is thrown away at the end, so
 * nothing waits for the disk.
 */
export async function setup(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  chmodSync(dataDir, 0o711) // when root runs the tests, Postgres is another user, who has to pass
  const cluster = await openEmbeddedCluster({
    dataDir,
    port: 0,
    logger: silentLogger,
    durable: false,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      max_connections: '300',
      max_replication_slots: '60',
      max_wal_senders: '60',
    },
  })
  await using admin = createPool({ url: cluster.internalUrl, applicationName: 'test setup', connectionsMax: 1 })
  await admin.execute(sql`create database ${sql.identifier(TEMPLATE_DATABASE)}`)
  await using template = createPool({
    url: withDatabase(cluster.internalUrl, TEMPLATE_DATABASE),
    applicationName: 'test setup',
    connectionsMax: 1,
  })
  await applyMigrations({ pool: template, sources: [platformMigrations], logger: silentLogger })
  const { requestUrl } = cluster
  // Made by a migration of the accounts service, in whichever database is the first.
  await admin.execute(sql`create role ${sql.identifier(AUTH_ROLE)} nologin noinherit`)
  const roles = [READER_ROLE, EVALUATOR_ROLE, AUTH_ROLE].map((role) => roleUrl(requestUrl, role))
  await ensureRolePasswords(admin, [requestUrl, ...roles])
  process.env[ADMIN_URL_VARIABLE] = cluster.internalUrl
  process.env[PROJECT_URL_VARIABLE] = cluster.adminUrl
  process.env[REQUEST_URL_VARIABLE] = cluster.requestUrl
  return async () => {
    await cluster[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
