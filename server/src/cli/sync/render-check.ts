import type { CoverageReport } from '@holdfast/sync'

/** A table with policies, or a stream query, that does not sync. */
export interface CheckProblem {
  /** `public.items`, or `stream recent`. */
  readonly of: string
  /** The responsible policy or query. */
  readonly culprit: string | undefined
  readonly reason: string
}

export interface CheckReport {
  readonly problems: readonly CheckProblem[]
  /** Number of synced tables. */
  readonly tables: number
  readonly streams: number
  /** Whether the checked files were applied; absent without files. */
  readonly applied?: boolean
}

/** Reports tables with policies that do not sync, and refused stream queries. Tables without policies are not meant for devices. */
export function checkCoverage(report: CoverageReport): CheckReport {
  const problems = [
    ...report.tables
      .filter(({ synced, policies }) => !synced && policies.length > 0)
      .map(({ table, refusedPolicy, reason = '' }) => ({ of: table, culprit: refusedPolicy, reason })),
    ...report.streams.flatMap(({ name, refused }) => refused.map((one) => problemOfStream(name, one))),
  ]
  return { problems, tables: report.tables.filter(({ synced }) => synced).length, streams: report.streams.length }
}

export function problemOfStream(
  name: string,
  { query, reason }: { readonly query: string; readonly reason: string },
): CheckProblem {
  return { of: `stream ${name}`, culprit: query.replaceAll(/\s+/g, ' ').trim(), reason }
}

export function renderCheck({ problems, tables, streams, applied }: CheckReport): string {
  const lines = problems.flatMap(({ of, culprit, reason }) => [
    `${of}: NOT FOLLOWED: ${reason}`,
    ...(culprit === undefined ? [] : [`  ${culprit}`]),
  ])
  const end = applied === undefined ? '' : applied ? '; applied' : '; nothing was changed'
  return `${[...lines, `${tables} tables sync, ${streams} streams; ${problems.length} not followed${end}`].join('\n')}\n`
}
