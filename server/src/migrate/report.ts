/** An omitted part and the reason. */
export interface LeftOut {
  readonly what: string
  readonly why: string
}

/** Result of a migration: what was migrated, and what was not. */
export interface MigrateReport {
  readonly from: string
  readonly version: string
  readonly dryRun: boolean
  readonly tables: number
  readonly rows: number
  readonly users: number
  readonly policies: number
  readonly functions: number
  readonly jobs: number
  readonly vaultSecrets: number
  readonly files: { readonly copied: number; readonly present: number; readonly failed: number }
  readonly leftOut: readonly LeftOut[]
}

const TOLD_MAX = 100

/** Renders it for humans. */
export function renderMigrateReport(report: MigrateReport): string {
  const { files, leftOut } = report
  const verb = report.dryRun ? 'Would bring' : 'Brought'
  return [
    `${verb} ${report.tables} tables, about ${report.rows} rows, ${report.users} users, ${report.functions} functions, ${report.policies} policies, ${report.jobs} jobs, ${report.vaultSecrets} secrets of the vault (Postgres ${report.version} at ${report.from}).`,
    ...(report.dryRun
      ? []
      : [`Files: ${files.copied} copied, ${files.present} were here already, ${files.failed} failed.`]),
    leftOut.length === 0 ? 'Nothing was left out.' : 'Left out:',
    ...leftOut.slice(0, TOLD_MAX).map(({ what, why }) => `  ${what}: ${why}`),
    ...(leftOut.length > TOLD_MAX ? [`  and ${leftOut.length - TOLD_MAX} more (--json has all)`] : []),
    '',
    'Set by hand: secrets of functions (holdfast secrets set), settings of accounts and mail (docs/reference/options.md),',
    'and HOLDFAST_JWT_SECRET to the JWT secret of the project, so that its API keys and sessions stay good.',
    '',
  ].join('\n')
}

/** Result of an export: what was exported, and what was not. */
export interface ExportReport {
  /** Host and name of the database, or folder. */
  readonly to: string
  readonly dryRun: boolean
  readonly tables: number
  readonly rows: number
  readonly policies: number
  readonly functions: number
  readonly files: { readonly copied: number; readonly present: number; readonly failed: number }
  readonly leftOut: readonly LeftOut[]
}

/** Renders it for humans. */
export function renderExportReport(report: ExportReport): string {
  const { files, leftOut, dryRun } = report
  return [
    `${dryRun ? 'Would export about' : 'Exported'} ${report.tables} tables, ${report.rows} rows, ${report.functions} functions, ${report.policies} policies to ${report.to}.`,
    ...(dryRun ? [] : [`Files: ${files.copied} copied, ${files.present} were there already, ${files.failed} failed.`]),
    leftOut.length === 0 ? 'Nothing is left out.' : 'Left out, or to be done by hand:',
    ...leftOut.slice(0, TOLD_MAX).map(({ what, why }) => `  ${what}: ${why}`),
    ...(leftOut.length > TOLD_MAX ? [`  and ${leftOut.length - TOLD_MAX} more (--json has all)`] : []),
    '',
  ].join('\n')
}
