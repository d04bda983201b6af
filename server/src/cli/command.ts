import { readFileSync } from 'node:fs'
import { HoldfastError, type OptionDeclarations, type OptionValues } from '@holdfast/foundation'
import { loadConfig, type ConfigSources, type Flags } from '../config/load-config.ts'

/** Input of a command. */
export interface CommandInput {
  /** Its arguments. */
  readonly words: readonly string[]
  readonly flags: Flags
  readonly env: Readonly<Record<string, string | undefined>>
  /** For machines with `--json`, otherwise for humans. */
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Returns the config file's text without byte order mark, if it exists. */
export function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new HoldfastError('config_file_invalid', 500, `The config file ${path} cannot be read.`, { cause: error })
  }
}

/** Returns a command's settings sources: command line, environment and config file. */
export function sourcesOf({ flags, env }: Pick<CommandInput, 'flags' | 'env'>): ConfigSources {
  return { flags, env, readFile: readOrUndefined }
}

/**
 * Reads a command's settings.
 *
 * @throws {HoldfastError} errors of {@link loadConfig}
 */
export function readSettings<T extends OptionDeclarations>(
  declarations: T,
  input: Pick<CommandInput, 'flags' | 'env'>,
): OptionValues<T> {
  return loadConfig(declarations, sourcesOf(input))
}
