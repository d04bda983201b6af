import type { JSX } from 'react'
import type { JobRun } from '@holdfast/protocol'
import { Chip } from '@holdfast/workspace'
import { formatMs } from '../../lib/format.ts'

/** State of a run, as pg_cron names it. */
export function RunState({ status }: Pick<JobRun, 'status'>): JSX.Element {
  const colour = status === 'succeeded' ? 'green' : status === 'failed' ? 'coral' : 'blue'
  return <Chip colour={colour}>{status}</Chip>
}

/** Duration of a run that has ended. */
export function durationOf({ startedAt, endedAt }: JobRun): string {
  if (startedAt === null || endedAt === null) return '–'
  return formatMs(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))
}
