/** The console: operators, their sessions and rights, and the API of its screens. */
export { SESSION_DAYS } from './limits.ts'
export { consoleMigrations } from './migrations.ts'
export { consoleOptions, type ConsoleOptions } from './options.ts'
export type { CallApi } from './call-api.ts'
export type { Console, OpenConsoleOptions, PermittedRequest } from './console.ts'
export type { Credentials } from './operators/credentials.ts'
export type { ConsoleAnswer, ConsoleRequest } from './routing/route.ts'
export type { BackupSources } from './routes/backups.ts'
export type { DeviceSources } from './routes/devices.ts'
export type { FunctionSources } from './routes/functions.ts'
export type { FoundLogEntries, LogSearch, LogSource } from './routes/logs.ts'
export type { KeySources } from './routes/keys.ts'
export type { MigrationSources } from './routes/migrations.ts'
export type { SettingSources } from './routes/settings.ts'
export type { SignInSources } from './routes/sign-in-settings.ts'
export type { OpenSqlSession, SqlIdentity } from './routes/sql.ts'
export type { SqlSession } from './sql/run-sql.ts'
export { invalidRequest } from './errors.ts'
export type { OverviewSources } from './routes/overview.ts'
export type { ProjectChanges } from './tables/apply-change.ts'
export type { ReadSyncStates } from './tables/list-tables.ts'
export type { OpenTableSession } from './tables/table-session.ts'
export { Invitations } from './operators/invitations.ts'

/** Loads the console at its first request, so that a start does not pay for it. */
export async function loadConsole(): Promise<typeof import('./console.ts')> {
  return await import('./console.ts')
}
