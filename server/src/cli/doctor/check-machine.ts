import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { endOfCertificate, findPort, readTlsIdentity, reminderOf } from '@holdfast/http'
import { tlsFilesOf } from '../../config/base-url.ts'
import { readSigningSecret } from '../../config/jwt-secret.ts'
import type { InspectConfig } from '../../config/options.ts'
import type { RunningServer } from '../../running-file.ts'
import { failure, ok, problem, warning, type Finding } from './finding.ts'

const GIB = 1024 ** 3

/** Free bytes below which a normal day's WAL may fill the disk. */
const DISK_FEW = 2 * GIB
/** Free bytes below which Postgres is about to stop writing. */
const DISK_NONE = GIB / 4

/** Checks Node, disk and ports. */
export async function checkMachine(config: InspectConfig, running: RunningServer | undefined): Promise<Finding[]> {
  return [
    ok('node', `Node ${process.versions.node}`),
    checkDisk(config.dataDir),
    ...checkFolder(config.dataDir),
    ...checkSecret(config),
    ...(await checkPorts(config, running)),
    ...checkTls(config),
  ]
}

/** Returns the data folder or its nearest existing parent. */
function existingFolder(dataDir: string): string {
  let folder = resolve(dataDir)
  while (!existsSync(folder)) folder = dirname(folder)
  return folder
}

function checkFolder(dataDir: string): Finding[] {
  const folder = existingFolder(dataDir)
  if (!statSync(folder).isDirectory())
    return [problem('data folder', `${folder} is a file`, 'Move it away, or choose another folder with --data-dir.')]
  const hint = 'Check who owns it, or choose another folder with --data-dir.'
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch {
    return [problem('data folder', `${folder} cannot be read and written by this user`, hint)]
  }
}

/** Checks whether a start could sign API keys with the configured or stored secret. */
function checkSecret({ jwtSecret, dataDir }: InspectConfig): Finding[] {
  try {
    readSigningSecret(jwtSecret, dataDir)
    return []
  } catch (error) {
    return [failure('jwt secret', error)]
  }
}

function checkDisk(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(existingFolder(dataDir))
  const free = bavail * bsize
  const text = `${(free / GIB).toFixed(1)} GiB are free for ${dataDir}`
  const hint = 'Make room, or move the data folder: --data-dir.'
  if (free < DISK_NONE) return problem('disk', text, hint)
  return free < DISK_FEW ? warning('disk', text, hint) : ok('disk', text)
}

function checkTls(config: InspectConfig): Finding[] {
  try {
    const files = tlsFilesOf(config)
    if (!files) return []
    readTlsIdentity(files)
    const end = endOfCertificate(files.certFile)
    const reminder = reminderOf(end)
    if (reminder !== undefined) return [warning('tls', reminder, 'Look why it was not renewed.')]
    return [ok('tls', `the certificate is good until ${end.toISOString().slice(0, 10)}`)]
  } catch (error) {
    return [failure('tls', error)]
  }
}

async function checkPorts(config: InspectConfig, running: RunningServer | undefined): Promise<Finding[]> {
  if (running) return [ok('ports', `the server listens at ${running.ready.base}`)]
  const wanted = [
    { of: 'port', host: config.host, port: config.port },
    ...(config.databaseUrl === undefined ? [{ of: 'database port', host: '127.0.0.1', port: config.dbPort }] : []),
  ]
  return await Promise.all(
    wanted.map(async ({ of, host, port }) => {
      try {
        await findPort(host, port)
        return ok(of, `${host}:${port} is free`)
      } catch (error) {
        return failure(of, error)
      }
    }),
  )
}
