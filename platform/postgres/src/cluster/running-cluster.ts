import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_NAME, PROJECT_ROLE, SUPERUSER } from './cluster.ts'
import { readLockHolder } from './lock-file.ts'
import { readSecrets } from './secrets.ts'

/**
 * Finds the Postgres of a data folder started by another process.
 *
 * @param as - Holdfast itself, or the project's role
 * @returns its URL; `undefined` if no process uses the folder, or its Postgres is not running yet
 */
export function findRunningCluster(dataDir: string, as: 'superuser' | 'project' = 'superuser'): string | undefined {
  if (readLockHolder(dataDir) === undefined) return undefined
  const port = readPort(join(dataDir, 'postgres', 'postmaster.pid'))
  const secrets = readSecrets(dataDir)
  if (port === undefined || secrets === undefined || secrets.separation === 'pending') return undefined
  // Before release 0.2.0 the project's role is the superuser.
  const { projectPassword, superuserPassword } = secrets
  const superuser = projectPassword === undefined ? PROJECT_ROLE : SUPERUSER
  const [role, password] =
    as === 'project' ? [PROJECT_ROLE, projectPassword ?? superuserPassword] : [superuser, superuserPassword]
  return `postgres://${role}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`
}

/** @see PostgreSQL source, `miscadmin.h`, `LOCK_FILE_LINE_PORT` */
function readPort(pidFile: string): number | undefined {
  try {
    return Number(readFileSync(pidFile, 'utf8').split('\n')[3]) || undefined
  } catch {
    return undefined // it has just stopped, or not started yet
  }
}
