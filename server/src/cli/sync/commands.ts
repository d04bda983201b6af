import { HoldfastError } from '@holdfast/foundation'
import type { CoverageReport, RowExplanation, SyncStatus } from '@holdfast/sync'
import { loadProjectConfig } from '../../project/settings/load-project-config.ts'
import { inspectDeclarations, type InspectConfig } from '../../config/options.ts'
import { sourcesOf, type CommandInput } from '../command.ts'
import { connectTo } from './connection.ts'
import { checkFiles } from './check-files.ts'
import { checkCoverage, renderCheck } from './render-check.ts'
import { renderCoverage } from './render-coverage.ts'
import { renderExplanation } from './render-explanation.ts'
import { renderStatus } from './render-status.ts'
import { renderVerification, verify } from './verify.ts'

/**
 * `holdfast sync status`: prints the state of sync.
 *
 * @returns the exit code: 1 if sync does not follow the database
 */
export async function syncStatus(input: CommandInput): Promise<number> {
  const { config, print } = await open(input)
  const status = await connectTo(config).json<SyncStatus>('/sync/v1/status')
  print(status, () => renderStatus(status, config.all))
  return status.ready && status.reader.state === 'following' ? 0 : 1
}

/** `holdfast sync coverage`: prints whether and how each table and policy syncs. @returns the exit code */
export async function syncCoverage(input: CommandInput): Promise<number> {
  const { config, print } = await open(input)
  const report = await connectTo(config).json<CoverageReport>('/sync/v1/coverage')
  const { table } = config
  const shown = table === undefined ? report : { ...report, tables: report.tables.filter((one) => isMeant(one, table)) }
  print(shown, () => renderCoverage(shown, config.all || table !== undefined))
  return 0
}

/**
 * `holdfast sync check [file …]`: prints refused policies and streams, now or after SQL files.
 *
 * @returns the exit code: 1 if there are any
 */
export async function checkSync(input: CommandInput): Promise<number> {
  const { config, print } = await open(input)
  const { tables, streams, ...report } =
    input.words.length > 0
      ? await checkFiles(input.words, config)
      : checkCoverage(await connectTo(config).json<CoverageReport>('/sync/v1/coverage?settled=true'))
  print(report, () => renderCheck({ tables, streams, ...report }))
  return report.problems.length > 0 ? 1 : 0
}

/**
 * `holdfast sync explain`: explains why a user has a row on their devices, or not.
 *
 * @returns the exit code: 1 if devices and Postgres disagree
 */
export async function explainRow(input: CommandInput): Promise<number> {
  const { config, print } = await open(input)
  const [user, table, id] = [need(config, 'user'), need(config, 'table'), need(config, 'id')]
  const query = new URLSearchParams({ user, table, id })
  const found = await connectTo(config).json<RowExplanation>(`/sync/v1/explain?${query}`)
  print(found, () => renderExplanation(user, found))
  return found.verdict === 'disagreement' ? 1 : 0
}

/**
 * `holdfast sync verify`: rebuilds a user's device and compares it with Postgres.
 *
 * @returns the exit code: 1 if they differ
 */
export async function verifyDevice(input: CommandInput): Promise<number> {
  const { config, print } = await open(input)
  const user = need(config, 'user')
  const result = await verify(connectTo(config), user, (line) => input.err(`  ${line} …\n`))
  print(result, () => renderVerification(user, result))
  return result.equal ? 0 : 1
}

async function open(input: CommandInput): Promise<{
  readonly config: InspectConfig
  readonly print: (value: unknown, text: () => string) => void
}> {
  const { config } = await loadProjectConfig(inspectDeclarations, sourcesOf(input))
  return {
    config,
    print: (value, text) => input.out(config.json ? `${JSON.stringify(value)}\n` : text()),
  }
}

function isMeant({ table, localName }: CoverageReport['tables'][number], name: string): boolean {
  return table === name || localName === name || table === `public.${name}`
}

function need(config: InspectConfig, name: 'user' | 'table' | 'id'): string {
  const value = config[name]
  if (value !== undefined && value !== '') return value
  throw new HoldfastError('option_missing', 500, `--${name} is missing.`, {
    hint: 'holdfast sync explain --user <id or e-mail> --table <name> --id <id>; holdfast sync verify --user <id or e-mail>',
  })
}
