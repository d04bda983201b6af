import { HoldfastError } from '@holdfast/foundation'
import type { CoverageReport, RowExplanation, SyncStatus } from '@holdfast/sync'
import { loadProjectConfig } from '../../project/settings/load-project-config.ts'
import { nearest } from '../../config/names.ts'
import { inspectDeclarations, type InspectConfig } from '../../config/options.ts'
import { readOrUndefined, type CommandInput } from '../command.ts'
import { connectTo } from './connection.ts'
import { checkFiles } from './check-files.ts'
import { checkCoverage, renderCheck } from './render-check.ts'
import { renderCoverage } from './render-coverage.ts'
import { renderExplanation } from './render-explanation.ts'
import { renderStatus } from './render-status.ts'
import { renderVerification, verify } from './verify.ts'

const COMMANDS = ['status', 'coverage', 'check', 'explain', 'verify'] as const

/**
 * `holdfast sync …`: asks a running server what and whom it syncs.
 *
 * @returns the exit code: 1 when something is not followed that was checked, a device would not have what Postgres shows, or sync is not at work
 */
export async function runSync(input: CommandInput): Promise<number> {
  const [command, ...argv] = input.argv
  if (command === undefined || !(COMMANDS as readonly string[]).includes(command)) throw unknownCommand(command)
  const files = command === 'check' ? leadingFiles(argv) : []
  const { config } = await loadProjectConfig(inspectDeclarations, {
    argv: argv.slice(files.length),
    env: input.env,
    readFile: readOrUndefined,
  })
  const print = (value: unknown, text: () => string): void =>
    input.out(config.json ? `${JSON.stringify(value)}\n` : text())
  if (files.length > 0) {
    const { tables, streams, ...report } = await checkFiles(files, config)
    print(report, () => renderCheck({ tables, streams, ...report }))
    return report.problems.length > 0 ? 1 : 0
  }
  const connection = connectTo(config)
  switch (command) {
    case 'status': {
      const status = await connection.json<SyncStatus>('/sync/v1/status')
      print(status, () => renderStatus(status, config.all))
      return status.ready && status.reader.state === 'following' ? 0 : 1
    }
    case 'coverage': {
      const report = await connection.json<CoverageReport>('/sync/v1/coverage')
      const shown =
        config.table === undefined
          ? report
          : { ...report, tables: report.tables.filter((one) => isMeant(one, config.table ?? '')) }
      print(shown, () => renderCoverage(shown, config.all || config.table !== undefined))
      return 0
    }
    case 'check': {
      const { tables, streams, ...report } = checkCoverage(
        await connection.json<CoverageReport>('/sync/v1/coverage?settled=true'),
      )
      print(report, () => renderCheck({ tables, streams, ...report }))
      return report.problems.length > 0 ? 1 : 0
    }
    case 'explain': {
      const [user, table, id] = [need(config, 'user'), need(config, 'table'), need(config, 'id')]
      const query = new URLSearchParams({ user, table, id })
      const found = await connection.json<RowExplanation>(`/sync/v1/explain?${query}`)
      print(found, () => renderExplanation(user, found))
      return found.verdict === 'disagreement' ? 1 : 0
    }
    default: {
      const user = need(config, 'user')
      const result = await verify(connection, user, (line) => input.err(`  ${line} …\n`))
      print(result, () => renderVerification(user, result))
      return result.equal ? 0 : 1
    }
  }
}

/** The arguments before the first option. */
function leadingFiles(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((one) => one.startsWith('-'))
  return end < 0 ? argv : argv.slice(0, end)
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

function unknownCommand(command: string | undefined): HoldfastError {
  const meant = command === undefined ? undefined : nearest(command, COMMANDS)
  return new HoldfastError(
    'command_unknown',
    500,
    command === undefined ? 'What about sync?' : `"sync ${command}" is not a command.`,
    {
      hint: meant
        ? `Did you mean "holdfast sync ${meant}"?`
        : `There are ${COMMANDS.map((one) => `"holdfast sync ${one}"`).join(', ')}.`,
    },
  )
}
