import { migrationDeclarations, type MigrationConfig } from '../config/options.ts'
import { readDatabaseConfig } from '../project/project-config.ts'
import { seedProject, type SeedReport } from '../project/seed.ts'
import { withProjectPool } from './apply-pending.ts'
import { readSettings, type CommandInput } from './command.ts'

/**
 * `holdfast seed`: applies pending seeds, whether or not the server is running, also to DATABASE_URL.
 *
 * @returns the exit code
 * @throws {HoldfastError} `project_config_invalid`, and errors of {@link seedProject}
 */
export async function seed(input: CommandInput): Promise<number> {
  const config = readSettings(migrationDeclarations, input)
  const report = await applySeeds(config, input.err)
  input.out(config.json ? `${JSON.stringify(report)}\n` : `Applied ${report.applied.length} seeds.\n`)
  return 0
}

/** Applies pending seeds and reports those not applied. */
export async function applySeeds(config: MigrationConfig, tell: (line: string) => void): Promise<SeedReport> {
  const database = await readDatabaseConfig(config.functionsConfig)
  const report = await withProjectPool(config, (pool) => seedProject(pool, database))
  for (const name of report.changed)
    tell(`${name} changed after it was applied, and is not applied again; "holdfast db reset" begins anew.\n`)
  for (const pattern of report.unmatched) tell(`No file is called ${pattern}.\n`)
  return report
}
