import { open } from 'node:fs/promises'
import { relative } from 'node:path'
import type { MigrationSources } from '@holdfast/console'
import { type Pool, readMigrations, sql } from '@holdfast/postgres'
import type { ListedMigration, MigrationText, OwnMigration } from '@holdfast/protocol'
import { MIGRATIONS } from '../migrations.ts'
import { compareHistory } from '../project/compare-history.ts'
import { readHistory } from '../project/history.ts'
import { listMigrationFiles, type MigrationFolder } from '../project/migration-files.ts'
import type { PartContext } from './part-context.ts'

/** Size in bytes up to which a migration is shown. */
const TEXT_BYTES_MAX = 256 * 1024

/** Migrations of the project that are listed, newest first. */
const LISTED_MAX = 1_000

/**
 * Returns what the console shows of migrations.
 *
 * @param pool - connects as the superuser
 */
export function createMigrationSources({ config }: PartContext, pool: Pool): MigrationSources {
  const { migrationsDir, projectMigrations } = config
  return {
    async list() {
      const folder = listMigrationFiles(migrationsDir)
      const [applied, own] = await Promise.all([readHistory(pool), listOwn(pool)])
      return {
        folder: relative(process.cwd(), migrationsDir),
        isApplied: projectMigrations,
        project: statesOf(folder, applied).slice(0, LISTED_MAX),
        skipped: folder.skipped,
        own,
      }
    },
    async readPending(version) {
      const { pending } = compareHistory(listMigrationFiles(migrationsDir).files, await readHistory(pool))
      const file = pending.find((one) => one.version === version)
      return file && (await readText(file.path))
    },
  }
}

function statesOf({ files }: MigrationFolder, applied: readonly string[]): readonly ListedMigration[] {
  const { pending, outOfOrder, missing } = compareHistory(files, applied)
  return [
    ...files.map((file): ListedMigration => {
      const state = outOfOrder.includes(file) ? 'older' : pending.includes(file) ? 'pending' : 'applied'
      return { version: file.version, name: file.name, state }
    }),
    ...missing.map((version): ListedMigration => ({ version, name: null, state: 'missing' })),
  ].toSorted((one, other) => (one.version < other.version ? 1 : -1))
}

async function listOwn(pool: Pool): Promise<readonly OwnMigration[]> {
  const applied = await pool.query<OwnMigration>(sql`
    select source, name, applied_at as "appliedAt" from holdfast.migrations order by applied_at desc, source, name desc`)
  const known = new Set(applied.map(({ source, name }) => `${source}/${name}`))
  const pending = MIGRATIONS.flatMap(readMigrations).filter(({ source, name }) => !known.has(`${source}/${name}`))
  return [...pending.map(({ source, name }) => ({ source, name, appliedAt: null })), ...applied]
}

async function readText(path: string): Promise<MigrationText> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_BYTES_MAX + 1), 0, TEXT_BYTES_MAX + 1)
  const isCut = bytesRead > TEXT_BYTES_MAX
  const text = buffer.subarray(0, Math.min(bytesRead, TEXT_BYTES_MAX)).toString()
  return { path: relative(process.cwd(), path), text: isCut ? text.replace(/�$/, '') : text, isCut }
}
