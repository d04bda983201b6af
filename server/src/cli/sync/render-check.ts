import type { CoverageReport } from '@holdfast/sync'

/** A table or a query of a stream that devices do not get, although somebody wrote that they should. */
export interface CheckProblem {
  /** `public.items`, or `stream recent`. */
  readonly of: string
  /** The policy or the query that is to blame. */
  readonly culprit: string | undefined
  readonly reason: string
}

/** Tables that have policies and do not sync, and queries of streams that are not followed. A table without policies was not meant for devices. */
export function findProblems(report: CoverageReport): readonly CheckProblem[] {
  return [
    ...report.tables
      .filter(({ synced, policies }) => !synced && policies.length > 0)
      .map(({ table, refusedPolicy, reason = '' }) => ({ of: table, culprit: refusedPolicy, reason })),
    ...report.streams.flatMap(({ name, refused }) =>
      refused.map(({ query, reason }) => ({
        of: `stream ${name}`,
        culprit: query.replaceAll(/\s+/g, ' ').trim(),
        reason,
      })),
    ),
  ]
}

export function renderCheck(report: CoverageReport, problems: readonly CheckProblem[]): string {
  const synced = report.tables.filter((table) => table.synced).length
  const lines = problems.flatMap(({ of, culprit, reason }) => [
    `${of}: NOT FOLLOWED: ${reason}`,
    ...(culprit === undefined ? [] : [`  ${culprit}`]),
  ])
  return `${[...lines, `${synced} tables sync, ${report.streams.length} streams; ${problems.length} not followed`].join('\n')}\n`
}
