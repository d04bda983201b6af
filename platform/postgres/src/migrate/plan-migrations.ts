import { HoldfastError } from '@holdfast/foundation'
import type { Migration } from './migration.ts'

/** A row of `holdfast.migrations`. */
export interface AppliedMigration {
  readonly source: string
  readonly name: string
  readonly checksum: string
}

/** Every release opens the databases of all earlier ones; a test compares their migrations with the files. */
const BETWEEN_RELEASES =
  'A build between two releases wrote this database; only databases of releases can be opened by later ones. ' +
  'Start it with the build that wrote it, dump the tables of the project (pg_dump), and load them into a new data folder. ' +
  'If you develop Holdfast: a released migration never changes, and a new one gets a number after all released ones.'

/**
 * Determines the pending migrations, in order.
 *
 * @param migrations - of this release
 * @param applied - recorded in the database
 * @throws {HoldfastError} `migration_changed` if a file differs from what was applied, `migration_unknown` if a newer release applied one,
 * `migration_out_of_order` if one would precede an applied one
 */
export function planMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const sources = new Set(migrations.map((migration) => migration.source))
  for (const done of applied) {
    // Ignore sources not requested (an optional sample, another tool).
    if (!sources.has(done.source)) continue
    const migration = migrations.find(({ source, name }) => source === done.source && name === done.name)
    if (!migration) {
      throw new HoldfastError(
        'migration_unknown',
        500,
        `The database has the migration ${done.source}/${done.name}, which this release does not know.`,
        {
          hint: 'A newer release wrote it. Start that one, or use another data folder.',
        },
      )
    }
    if (migration.checksum !== done.checksum) {
      throw new HoldfastError(
        'migration_changed',
        500,
        `The migration ${done.source}/${done.name} is not the one that was applied.`,
        { hint: BETWEEN_RELEASES },
      )
    }
  }
  const isApplied = (migration: Migration): boolean =>
    applied.some(({ source, name }) => source === migration.source && name === migration.name)
  const pending = migrations.filter((migration) => !isApplied(migration))
  for (const migration of pending) {
    const later = applied.find(({ source, name }) => source === migration.source && name > migration.name)
    if (later) {
      throw new HoldfastError(
        'migration_out_of_order',
        500,
        `The migration ${migration.source}/${migration.name} comes before ${later.name}, which has been applied.`,
        { hint: BETWEEN_RELEASES },
      )
    }
  }
  return pending
}
