import type { OptionValues } from '@holdfast/foundation'
import { variablesOf } from '@holdfast/functions'
import { loadConfig, type ConfigSources } from '../../config/load-config.ts'
import { options, type Config } from '../../config/options.ts'
import { readTables } from '../project-config.ts'
import { readProjectSettings, type ProjectSettings } from './project-settings.ts'

/**
 * Merges the settings as `loadConfig` does, and below the config file those of the project's `config.toml`.
 *
 * @returns the settings, and what there is to say about `config.toml`
 * @throws {HoldfastError} those of `loadConfig`, `project_config_invalid`, and `option_invalid` with the key of `config.toml`
 */
export async function loadProjectConfig<T extends typeof options>(
  declarations: T,
  sources: ConfigSources,
): Promise<{ readonly config: OptionValues<T>; readonly notes: readonly string[] }> {
  const { values, notes } = await settingsOfProject(loadConfig<typeof options>(declarations, sources), sources)
  return { config: loadConfig(declarations, sources, values), notes }
}

/**
 * Reads what the project's `config.toml` sets.
 *
 * @param config - the settings without it
 * @returns nothing where the project's folder is not looked at
 * @throws {HoldfastError} as {@link loadProjectConfig}
 */
export async function settingsOfProject(config: Config, { env }: Pick<ConfigSources, 'env'>): Promise<ProjectSettings> {
  if (!config.projectMigrations) return { values: {}, notes: [] }
  const file = config.functionsConfig
  const { values, notes } = readProjectSettings(await readTables(file), { file, find: variablesOf(file, env) })
  // As in the ecosystem's CLI: captured mails disturb nobody, and its generated file allows only two per hour.
  const { rateLimitEmailSent, ...others } = values
  const sendsMails = config.emailSmtpHost !== undefined || others['emailSmtpHost'] !== undefined
  return { values: sendsMails && rateLimitEmailSent !== undefined ? { ...others, rateLimitEmailSent } : others, notes }
}
