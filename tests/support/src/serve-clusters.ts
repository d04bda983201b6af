import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorMessage, silentLogger } from '@holdfast/foundation'
import {
  AUTH_ROLE,
  applyMigrations,
  createPool,
  ensureRolePasswords,
  EVALUATOR_ROLE,
  openEmbeddedCluster,
  platformMigrations,
  READER_ROLE,
  roleUrl,
  sql,
  type Cluster,
} from '@holdfast/postgres'
import { TEMPLATE_DATABASE, withDatabase, type ClusterUrls } from './test-cluster.ts'

/** Nothing has to survive the run. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '300',
  max_replication_slots: '60',
  max_wal_senders: '60',
}

export interface ClusterServer extends AsyncDisposable {
  /** Answers with the {@link ClusterUrls} of a worker, whose number is put behind it. */
  readonly url: string
}

/**
 * Gives each worker a Postgres of its own, started when it is asked for. Each reader of a replication slot goes over the log of a whole cluster, that of other workers'
 * databases as well: with one cluster for all that took a sixth of the processor's time.
 */
export async function serveClusters(): Promise<ClusterServer> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  chmodSync(home, 0o711) // when root runs the tests, Postgres is another user, who has to pass
  // Other users of this machine do not get the passwords.
  const path = `/${randomBytes(16).toString('hex')}/`
  const opened = new Map<string, Promise<Cluster>>()
  let model: Promise<string> | undefined

  async function open(worker: string): Promise<ClusterUrls> {
    let cluster = opened.get(worker)
    if (!cluster) opened.set(worker, (cluster = openCopy((model ??= makeModel(join(home, 'model'))), worker)))
    const { internalUrl, adminUrl, requestUrl } = await cluster
    return { internalUrl, adminUrl, requestUrl }
  }

  const server = createServer((request, response) => {
    const worker = request.url?.startsWith(path) ? request.url.slice(path.length) : ''
    if (!/^\d+$/.test(worker)) return void response.writeHead(404).end()
    open(worker).then(
      (urls) => response.end(JSON.stringify(urls)),
      (error: unknown) => response.writeHead(500).end(errorMessage(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      const clusters = await Promise.allSettled(opened.values())
      for (const one of clusters) if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]()
      await model?.catch(() => undefined)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const openIn = (dataDir: string): Promise<Cluster> =>
  openEmbeddedCluster({ dataDir, port: 0, logger: silentLogger, durable: false, settings: SETTINGS })

async function openCopy(made: Promise<string>, worker: string): Promise<Cluster> {
  const model = await made
  const dataDir = join(model, '..', `worker-${worker}`)
  await promisify(execFile)('cp', ['-a', model, dataDir]) // owners too: Postgres under root has a user of its own
  return await openIn(dataDir)
}

/** Creates a cluster with the roles of Holdfast and a database with the platform's migrations, which is copied for the tests. */
async function makeModel(dataDir: string): Promise<string> {
  await using cluster = await openIn(dataDir)
  const { internalUrl, requestUrl } = cluster
  await using admin = createPool({ url: internalUrl, applicationName: 'test setup', connectionsMax: 1 })
  await admin.execute(sql`create database ${sql.identifier(TEMPLATE_DATABASE)}`)
  await using template = createPool({
    url: withDatabase(internalUrl, TEMPLATE_DATABASE),
    applicationName: 'test setup',
    connectionsMax: 1,
  })
  await applyMigrations({ pool: template, sources: [platformMigrations], logger: silentLogger })
  // Made by a migration of the accounts service, in whichever database is the first.
  await admin.execute(sql`create role ${sql.identifier(AUTH_ROLE)} nologin noinherit`)
  const roles = [READER_ROLE, EVALUATOR_ROLE, AUTH_ROLE].map((role) => roleUrl(requestUrl, role))
  await ensureRolePasswords(admin, [requestUrl, ...roles])
  return dataDir
}
