import { resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { createPool, sql } from '@holdfast/postgres'
import { statusDeclarations } from '../config/options.ts'
import { readRunning, type RunningServer } from '../running-file.ts'
import { readSettings, type CommandInput } from './command.ts'
import { send, trustCertificateOf } from './sync/connection.ts'

/** Timeout in ms for the server's health report. */
const ANSWER_MS = 5_000

interface Health {
  readonly ok: boolean
  readonly database: string
  readonly sync: string
  readonly problem?: string
}

/**
 * `holdfast status`: prints location, keys and versions of the data folder's server, in the terms of the ecosystem's CLI.
 *
 * @returns the exit code: 1 if no server is running, or its database does not respond
 * @throws {HoldfastError} `option_invalid`
 */
export async function status(input: CommandInput): Promise<number> {
  const config = readSettings(statusDeclarations, input)
  const form = config.json ? 'json' : config.output
  if (form !== 'pretty' && form !== 'json' && form !== 'env') {
    throw new HoldfastError('option_invalid', 500, `--output: "${form}" is not a form.`, {
      hint: 'Use pretty, json or env.',
    })
  }
  const running = readRunning(resolve(config.dataDir))
  if (running === undefined) {
    throw new HoldfastError('server_not_running', 500, `No server runs on ${config.dataDir}.`, {
      hint: 'Start one with "holdfast start", or name its folder with --data-dir.',
    })
  }
  const health = await askHealth(running)
  const values = valuesOf(running)
  if (form === 'env') {
    const lines = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    input.out(lines.join(''))
  } else {
    const versions = { holdfast: running.version, postgres: await postgresVersion(running) }
    if (form === 'json') input.out(`${JSON.stringify({ ...values, pid: running.pid, health, versions })}\n`)
    else input.out(renderText(values, health, versions))
  }
  return health.ok ? 0 : 1
}

/** Named as in `supabase status -o env`. */
function valuesOf({ ready }: RunningServer): Readonly<Record<string, string>> {
  return {
    API_URL: ready.base,
    REST_URL: `${ready.base}/rest/v1`,
    FUNCTIONS_URL: `${ready.base}/functions/v1`,
    MAILPIT_URL: 'Mailbox',
    STUDIO_URL: ready.base,
    ...(ready.mailbox !== undefined && { MAILPIT_URL: ready.mailbox }),
    DB_URL: ready.db,
    PUBLISHABLE_KEY: ready.publishableKey,
    SECRET_KEY: ready.secretKey,
    ANON_KEY: ready.anonKey,
    SERVICE_ROLE_KEY: ready.serviceRoleKey,
    JWT_SECRET: ready.jwtSecret,
    ...(ready.s3 && {
      STORAGE_S3_URL: ready.s3.endpoint,
      S3_PROTOCOL_ACCESS_KEY_ID: ready.s3.accessKeyId,
      S3_PROTOCOL_ACCESS_KEY_SECRET: ready.s3.secretAccessKey,
      S3_PROTOCOL_REGION: ready.s3.region,
    }),
  }
}

/** An unresponsive server is reported as unhealthy. */
async function askHealth(running: RunningServer): Promise<Health> {
  const { ready } = running
  trustCertificateOf(running)
  try {
    const answer = await send(`${ready.base}/health`, {
      headers: { authorization: `Bearer ${ready.serviceRoleKey}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return (await answer.json()) as Health
  } catch (error) {
    const problem = error instanceof HoldfastError ? error.message : `There is no answer from ${ready.base}.`
    return { ok: false, database: 'unknown', sync: 'unknown', problem }
  }
}

async function postgresVersion({ ready }: RunningServer): Promise<string> {
  try {
    await using pool = createPool({ url: ready.db, applicationName: 'holdfast status', connectionsMax: 1 })
    const [row] = await pool.query<{ version: string }>(sql`select current_setting('server_version') as version`)
    return row?.version ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

const TITLES: Readonly<Record<string, string>> = {
  API_URL: 'API URL',
  DB_URL: 'Database URL',
  STUDIO_URL: 'App URL',
  MAILPIT_URL: 'Mailbox',
  PUBLISHABLE_KEY: 'Publishable key',
  SECRET_KEY: 'Secret key',
  ANON_KEY: 'anon key',
  SERVICE_ROLE_KEY: 'service_role key',
  JWT_SECRET: 'JWT secret',
  STORAGE_S3_URL: 'S3 Storage URL',
  S3_PROTOCOL_ACCESS_KEY_ID: 'S3 Access Key',
  S3_PROTOCOL_ACCESS_KEY_SECRET: 'S3 Secret Key',
  S3_PROTOCOL_REGION: 'S3 Region',
}

function renderText(
  values: Readonly<Record<string, string>>,
  { database, sync, problem }: Health,
  versions: { readonly holdfast: string; readonly postgres: string },
): string {
  const lines = [
    ...Object.entries(TITLES).flatMap(([name, title]) => (values[name] === undefined ? [] : [[title, values[name]]])),
    ['Database', `${database} (Postgres ${versions.postgres})`],
    ['Sync', sync],
    ...(problem === undefined ? [] : [['PROBLEM', problem]]),
    ['Version', versions.holdfast],
  ] as const
  const width = Math.max(...lines.map(([title]) => title?.length ?? 0))
  return `${lines.map(([title = '', value]) => `${title.padStart(width)}: ${value}`).join('\n')}\n`
}
