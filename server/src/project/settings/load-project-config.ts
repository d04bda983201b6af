import type { OptionValues } from '@holdfast/foundation'
import { variablesOf } from '@holdfast/functions'
import { findOrigins, loadConfig, type ConfigSources, type SettingOrigins } from '../../config/load-config.ts'
import { options, type Config } from '../../config/options.ts'
import { readTables } from '../project-config.ts'
import { readProjectSettings, type ProjectSettings } from './project-settings.ts'

/** Merged settings. */
export interface ProjectConfig<Values> {
  readonly config: Values
  readonly origins: SettingOrigins
  /** About `config.toml`. */
  readonly notes: readonly string[]
}

/**
 * Merges settings like `loadConfig`, with the project's `config.toml` ranking below the config file.
 *
 * @throws {HoldfastError} errors of `loadConfig`, `project_config_invalid`, and `option_invalid` with the key of `config.toml`
 */
export async function loadProjectConfig<T extends typeof options>(
  declarations: T,
  sources: ConfigSources,
): Promise<ProjectConfig<OptionValues<T>>> {
  const early = loadConfig<typeof options>(declarations, sources)
  const { values, notes } = await settingsOfProject(early, sources)
  const origins = findOrigins(declarations, sources, { file: early.functionsConfig, values })
  return { config: loadConfig(declarations, sources, values), origins, notes }
}

/**
 * Reads the settings from the project's `config.toml`.
 *
 * @param config - the settings without it
 * @returns no settings if the project's folder is not used
 * @throws {HoldfastError} as {@link loadProjectConfig}
 */
export async function settingsOfProject(config: Config, { env }: Pick<ConfigSources, 'env'>): Promise<ProjectSettings> {
  if (!config.projectMigrations) return { values: {}, notes: [] }
  const file = config.functionsConfig
  const { values, notes } = readProjectSettings(await readTables(file), { file, find: variablesOf(file, env) })
  // As in the ecosystem's CLI, whose generated file allows only two mails per hour. Captured mails need no limit.
  const { rateLimitEmailSent, ...others } = values
  const sendsMails = config.emailSmtpHost !== undefined || others['emailSmtpHost'] !== undefined
  return { values: sendsMails && rateLimitEmailSent !== undefined ? { ...others, rateLimitEmailSent } : others, notes }
}
