import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/options.ts'
import { readDatabaseConfig } from '../project/project-config.ts'

/**
 * Returns a key for the database built from a project folder, which changes with its migrations, seeds and `config.toml`.
 *
 * @throws {HoldfastError} `project_config_invalid`
 */
export async function projectKey(config: Config, today: string): Promise<string> {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile()) hash.update(`${path}\0${found.size}\0`).update(readFileSync(path))
  }
  // The sample's dates are relative to its creation date.
  if (config.sample) hash.update(`sample ${today}`)
  if (config.projectMigrations) {
    const { folder, seedPatterns } = await readDatabaseConfig(config.functionsConfig)
    add(config.functionsConfig)
    for (const path of globSync('*.sql', { cwd: config.migrationsDir }).toSorted())
      add(join(config.migrationsDir, path))
    for (const pattern of seedPatterns)
      for (const path of globSync(pattern, { cwd: folder }).toSorted()) add(join(folder, path))
  }
  return hash.digest('hex').slice(0, 16)
}
