import type { CoverageReport, SyncStatus } from '@holdfast/sync'
import type { InspectConfig } from '../../config/options.ts'
import { connectTo } from '../sync/connection.ts'
import { checkCoverage } from '../sync/render-check.ts'
import { ok, problem, warning, type Finding } from './finding.ts'

/** Replication lag in bytes at which devices see changes late. */
const BEHIND_MANY = 64 * 1024 * 1024

/** Checks whether a running server follows changes, and which policies are refused. */
export async function checkSync(config: InspectConfig): Promise<Finding[]> {
  const connection = connectTo(config)
  const status = await connection.json<SyncStatus>('/sync/v1/status')
  const behind = status.slot.lagBytes
  const follows = status.ready && status.reader.state === 'following'
  const state = follows
    ? behind > BEHIND_MANY
      ? warning(
          'sync',
          `sync is ${Math.round(behind / 1024 / 1024)} MiB behind`,
          '"holdfast sync status" says with what.',
        )
      : ok('sync', 'sync follows the database')
    : problem(
        'sync',
        status.reader.state === 'refused'
          ? (status.reader.problem ?? '')
          : `sync does not follow the database (${status.reader.state})`,
        status.reader.state === 'refused'
          ? 'Start the server again, or wait some seconds, when it is done.'
          : '"holdfast sync status" says more.',
      )
  if (!status.ready) return [state]
  const { problems, tables } = checkCoverage(await connection.json<CoverageReport>('/sync/v1/coverage'))
  return [
    state,
    ...problems.map(({ of, culprit, reason }) =>
      problem('policies', `${of} does not sync${culprit === undefined ? '' : ` (${culprit})`}: ${reason}`),
    ),
    ...(problems.length === 0 ? [ok('policies', `${tables} tables sync, and no policy is left out`)] : []),
  ]
}
