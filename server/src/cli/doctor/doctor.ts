import { resolve } from 'node:path'
import { loadProjectConfig } from '../../project/settings/load-project-config.ts'
import { doctorDeclarations, type DoctorConfig } from '../../config/options.ts'
import { readRunning } from '../../running-file.ts'
import { readSettings, sourcesOf, type CommandInput } from '../command.ts'
import { adviseFolder } from './advise-folder.ts'
import { checkDatabase } from './check-database.ts'
import { checkMachine } from './check-machine.ts'
import { checkMail } from './check-mail.ts'
import { checkSync } from './check-sync.ts'
import { failure, ok, type Finding } from './finding.ts'

/** Timeout in ms per check. */
const CHECK_MS = 60_000

/**
 * `holdfast doctor`: checks everything a server of this folder needs, whether or not it is running; with `--advise`, what could be better. Read-only.
 *
 * @returns the exit code: 1 if there is a problem, or advice as urgent as `--fail-on`
 * @throws {HoldfastError} `option_invalid`
 */
export async function doctor(input: CommandInput): Promise<number> {
  const { config, ofProject } = await readConfig(input)
  if (config.advise) return await adviseFolder(config, input.out)
  const running = readRunning(resolve(config.dataDir))
  const findings = (
    await Promise.all([
      ofProject,
      guarded('machine', checkMachine(config, running)),
      guarded('database', checkDatabase(config, running !== undefined || config.url !== undefined)),
      guarded(
        'sync',
        running || config.url !== undefined ? checkSync(config) : [ok('sync', 'no server runs to be asked')],
      ),
      guarded(
        'mail',
        checkMail(config).then((one) => [one]),
      ),
    ])
  ).flat()
  input.out(config.json ? `${JSON.stringify(findings)}\n` : render(findings))
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

/** Reports unreadable `config.toml` settings as a finding and uses the others. */
async function readConfig(
  input: CommandInput,
): Promise<{ readonly config: DoctorConfig; readonly ofProject: readonly Finding[] }> {
  const plain = readSettings(doctorDeclarations, input)
  try {
    const { config, notes } = await loadProjectConfig(doctorDeclarations, sourcesOf(input))
    return { config, ofProject: notes.map((note) => ok('settings', note)) }
  } catch (error) {
    return { config: plain, ofProject: [failure('settings', error)] }
  }
}

/** Turns a failing or hanging check into a finding. */
async function guarded(of: string, check: Promise<Finding[]> | Finding[]): Promise<readonly Finding[]> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no answer within ${CHECK_MS / 1000} s`)), CHECK_MS)
  try {
    return await Promise.race([check, timeout.promise])
  } catch (error) {
    return [failure(of, error)]
  } finally {
    clearTimeout(timer)
  }
}

const MARKS: Readonly<Record<Finding['level'], string>> = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' }

function render(findings: readonly Finding[]): string {
  const width = MARKS.problem.length
  const lines = findings.flatMap(({ level, of, text, hint }) => [
    `${MARKS[level].padEnd(width)}  ${of}: ${text}`,
    ...(hint === undefined ? [] : [`${' '.repeat(width)}  → ${hint}`]),
  ])
  const count = (level: Finding['level']): number => findings.filter((one) => one.level === level).length
  return `${lines.join('\n')}\n\n${count('problem')} problems, ${count('warning')} warnings\n`
}
