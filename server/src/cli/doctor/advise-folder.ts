import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { ADVICE_LEVELS, type Advice, type AdviceLevel } from '@holdfast/protocol'
import { createPool, withOwnSettings } from '@holdfast/postgres'
import type { SyncStatus } from '@holdfast/sync'
import { advise } from '../../advisors/advise.ts'
import { jwtFacts } from '../../advisors/jwt-facts.ts'
import type { AdviceContext } from '../../advisors/lint.ts'
import { readSigningSecret } from '../../config/jwt-secret.ts'
import type { DoctorConfig } from '../../config/options.ts'
import { readRunning } from '../../running-file.ts'
import { connectTo } from '../sync/connection.ts'
import { withProjectDatabase } from '../with-database.ts'

/**
 * `holdfast doctor --advise`: prints advice about the database, most urgent first.
 *
 * @returns the exit code: 1 if some advice is as urgent as `--fail-on`
 * @throws {HoldfastError} `option_invalid`, `database_missing`
 */
export async function adviseFolder(config: DoctorConfig, out: (text: string) => void): Promise<number> {
  const limit = ADVICE_LEVELS.indexOf(config.failOn as AdviceLevel)
  if (limit < 0)
    throw new HoldfastError('option_invalid', 500, `--fail-on: "${config.failOn}" is not a level.`, {
      hint: 'Use error, warning or info.',
    })
  if (config.databaseUrl === undefined && !existsSync(join(resolve(config.dataDir), 'postgres')))
    throw new HoldfastError('database_missing', 500, `The data folder ${config.dataDir} has no database.`, {
      hint: 'Start the server once, or name its folder with --data-dir.',
    })
  const refused = await readRefused(config)
  const advice = await withProjectDatabase(config, async (url) => {
    await using pool = createPool({
      url: withOwnSettings(url, 0),
      applicationName: 'holdfast doctor',
      connectionsMax: 1,
      onError: () => undefined, // the statement reports it
    })
    return await advise(pool, {
      exposedSchemas: config.restSchemas,
      refused,
      jwt: jwtFacts(readSigningSecret(config.jwtSecret, config.dataDir), config.jwtExpiry),
    })
  })
  out(config.json ? `${JSON.stringify(advice)}\n` : render(advice, refused !== undefined))
  return advice.some(({ level }) => ADVICE_LEVELS.indexOf(level) <= limit) ? 1 : 0
}

/** Asks a running server which tables do not sync; `undefined` without one. */
async function readRefused(config: DoctorConfig): Promise<AdviceContext['refused']> {
  if (!readRunning(resolve(config.dataDir)) && config.url === undefined) return undefined
  const { refused } = await connectTo(config).json<SyncStatus>('/sync/v1/status')
  return refused
}

const MARKS: Readonly<Record<AdviceLevel, string>> = { error: 'ERROR', warning: 'warning', info: 'info' }

function render(advice: readonly Advice[], hasServer: boolean): string {
  const width = MARKS.warning.length
  const indent = ' '.repeat(width + 2)
  const lines = advice.flatMap(({ level, name, object, text, action, sql }) => [
    `${MARKS[level].padEnd(width)}  ${name}: ${object}`,
    `${indent}${text}`,
    `${indent}→ ${action}`,
    ...(sql === undefined ? [] : sql.split('\n').map((line) => `${indent}  ${line}`)),
  ])
  const count = (level: AdviceLevel): number => advice.filter((one) => one.level === level).length
  const counts = `${count('error')} errors, ${count('warning')} warnings, ${count('info')} notes`
  const missing = hasServer ? '' : '\nNo server runs, so tables that do not sync are not listed.'
  return `${[...lines, ...(lines.length > 0 ? [''] : []), counts].join('\n')}${missing}\n`
}
