import { join, resolve } from 'node:path'
import type { FunctionsOptions } from './options.ts'
import type { ProjectFiles } from './project/discover.ts'

/** Returns the configured locations of the project's files. */
export function projectFilesOf(options: FunctionsOptions): ProjectFiles {
  const directory = resolve(options.functionsDir)
  return {
    directory,
    configFile: resolve(options.functionsConfig),
    envFile: options.functionsEnvFile === undefined ? join(directory, '.env') : resolve(options.functionsEnvFile),
    overrides: {
      verifyJwt: options.functionsVerifyJwt,
      importMap: options.functionsImportMap === undefined ? undefined : resolve(options.functionsImportMap),
    },
  }
}
