import type { CoverageReport } from '@holdfast/sync'

/** A table or a query of a stream that devices do not get, although a person wrote that they should. */
export interface CheckProblem {
  /** `public.items`, or `stream recent`. */
  readonly of: string
  /** The policy or the query that is to blame. */
  readonly culprit: string | undefined
  readonly reason: string
}

export interface CheckReport {
  readonly problems: readonly CheckProblem[]
  /** How many sync. */
  readonly tables: number
  readonly streams: number
  /** Whether the files that were checked are in force now; missing when there are none. */
  readonly applied?: boolean
}

/** Tables that have policies and do not sync, and queries of streams that are not followed. A table without policies was not meant for devices. */
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
