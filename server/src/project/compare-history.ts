import type { MigrationFile } from './migration-files.ts'

/** Differences between a project's files and a database's history. */
export interface HistoryComparison {
  /** Not applied yet, in version order. */
  readonly pending: readonly MigrationFile[]
  /** Pending files older than an applied migration. */
  readonly outOfOrder: readonly MigrationFile[]
  /** Applied versions without a file. */
  readonly missing: readonly string[]
}

/** @param applied - versions in any order. Compared as text, like Supabase's CLI. */
export function compareHistory(files: readonly MigrationFile[], applied: readonly string[]): HistoryComparison {
  const known = new Set(files.map(({ version }) => version))
  const done = new Set(applied)
  const last = applied.toSorted().at(-1)
  const pending = files.filter(({ version }) => !done.has(version))
  return {
    pending,
    outOfOrder: pending.filter(({ version }) => last !== undefined && version < last),
    missing: applied.filter((version) => !known.has(version)).toSorted(),
  }
}
