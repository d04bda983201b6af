import { errorMessage, HoldfastError, refusal } from '@holdfast/foundation'

/** The target name exists. */
export const backupTargetTaken = (target: string): HoldfastError =>
  new HoldfastError('backup_target_taken', 500, `${target} exists already.`, {
    hint: 'Give a name that is free; a backup never overwrites another.',
  })
/** The folder is not a backup, is damaged, or from a newer release. */
export const backupInvalid = (folder: string, detail: string, cause?: unknown): HoldfastError =>
  new HoldfastError('backup_invalid', 500, `${folder} is not a backup that can be restored.`, {
    detail,
    hint: 'Restore another backup, or use the release that took this one.',
    cause,
  })
/** The backup failed; nothing of it remains. */
export const backupFailed = (cause: unknown): HoldfastError =>
  new HoldfastError('backup_failed', 500, 'The backup was not taken.', {
    detail: errorMessage(cause),
    hint: 'Check the free space of the target and whether Postgres runs, then try again.',
    cause,
  })
/** Restoring failed, for a reason other than the backup itself. */
export const restoreFailed = (cause: unknown): HoldfastError =>
  new HoldfastError('restore_failed', 500, 'The backup was not restored.', {
    detail: errorMessage(cause),
    hint: 'Check the free space and the rights of the target, and with DATABASE_URL whether that Postgres runs, then try again.',
    cause,
  })
/** Tablespace files are outside the data folder. */
export const tablespacesUnsupported = refusal(
  'backup_tablespaces_unsupported',
  500,
  'The database has tablespaces of its own.',
  {
    hint: 'Take the backup with pg_basebackup, which can place them.',
  },
)
/** Restoring would overwrite something. */
export const restoreTargetTaken = (target: string): HoldfastError =>
  new HoldfastError('restore_target_taken', 500, `${target} is not empty.`, {
    hint: 'Restore into a folder or a database that is new: --data-dir, DATABASE_URL. Nothing is ever overwritten.',
  })
/** A packaged Postgres's backup contains its files, readable only by the packaged Postgres of the same version. */
export const restoreKindMismatch = (kind: 'embedded' | 'external'): HoldfastError =>
  new HoldfastError(
    'restore_kind_mismatch',
    500,
    kind === 'embedded'
      ? 'The backup is of the packaged Postgres, and DATABASE_URL names another one.'
      : 'The backup is of an external Postgres, and DATABASE_URL is not set.',
    {
      hint:
        kind === 'embedded'
          ? 'Unset DATABASE_URL, and restore into a data folder.'
          : 'Set DATABASE_URL to a new, empty database.',
    },
  )
/** The files belong to another major version of Postgres. */
export const restoreVersionMismatch = (found: number, expected: number): HoldfastError =>
  new HoldfastError(
    'restore_version_mismatch',
    500,
    `The backup is of Postgres ${found}, this Holdfast brings Postgres ${expected}.`,
    { hint: 'Restore it with the release that took it, then follow the guide for upgrades.' },
  )
/** Client programs of at least the server's version are required but not installed. */
export const clientToolsMissing = (serverMajor: number, found: string | undefined): HoldfastError =>
  new HoldfastError(
    'postgres_tools_missing',
    500,
    `Backing up and restoring an external Postgres ${serverMajor} needs its client programs (pg_dump, pg_dumpall, pg_restore, psql).`,
    {
      detail: found === undefined ? 'None were found.' : `Found: ${found}.`,
      hint: `Install the package postgresql-client-${serverMajor} or newer of your system, or set --postgres-tools to the folder that has them.`,
    },
  )
/** A Postgres client program failed. */
export const clientToolFailed = (program: string, output: string): HoldfastError =>
  new HoldfastError('postgres_tool_failed', 500, `${program} failed.`, { detail: output.trim() })
