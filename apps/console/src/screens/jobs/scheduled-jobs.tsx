import { Link } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import type { JSX } from 'react'
import type { JobList, ListedJob } from '@holdfast/protocol'
import { Chip, EmptyState, Notice } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatTime } from '../../lib/format.ts'
import { RunState } from './job-texts.tsx'
import { useJobs } from './use-jobs.ts'

/** Scheduled jobs with their next and last run. */
export function ScheduledJobs(): JSX.Element {
  const list = useJobs()
  return (
    <QueryState query={list} rows={6}>
      {(data) => (
        <div className="flex flex-col gap-4">
          <RunnerNotice runner={data.runner} />
          {data.jobs.length === 0 ? (
            <EmptyState icon={<CalendarClock size={32} aria-hidden />} title="No scheduled jobs">
              Create one in SQL with <code className="font-mono text-mono">cron.schedule</code>.
            </EmptyState>
          ) : (
            <DataTable label="Scheduled jobs" columns={COLUMNS} rows={data.jobs} keyOf={({ id }) => id} />
          )}
          <AutomationRuns />
        </div>
      )}
    </QueryState>
  )
}

export function RunnerNotice({ runner }: Pick<JobList, 'runner'>): JSX.Element | null {
  if (runner === 'server') return null
  return runner === 'off' ? (
    <Notice tone="warning" title="This server runs no jobs">
      It was started with --no-schedules-enabled.
    </Notice>
  ) : (
    <Notice title="The extension pg_cron runs these jobs">The console does not know when they run next.</Notice>
  )
}

function AutomationRuns(): JSX.Element {
  return (
    <p className="text-small text-muted">
      Runs of the app’s automations are rows of{' '}
      <Link to="/tables" search={{ schema: 'holdfast', table: 'automation_runs' }} className="text-accent underline">
        holdfast.automation_runs
      </Link>
      .
    </p>
  )
}

const COLUMNS: readonly TableColumn<ListedJob>[] = [
  {
    id: 'name',
    label: 'Job',
    cell: ({ id, name }) => (
      <Link to="/jobs/$id" params={{ id }} className="font-medium text-accent hover:underline">
        {name ?? `Job ${id}`}
      </Link>
    ),
  },
  {
    id: 'schedule',
    label: 'Schedule (UTC)',
    cell: ({ schedule }) => <code className="font-mono text-mono">{schedule}</code>,
  },
  {
    id: 'state',
    label: 'State',
    cell: ({ isActive }) => (isActive ? <Chip colour="green">on</Chip> : <Chip colour="slate">off</Chip>),
  },
  { id: 'next', label: 'Next run', cell: ({ nextAt }) => (nextAt === null ? '–' : formatTime(nextAt)) },
  {
    id: 'last',
    label: 'Last run',
    cell: ({ lastRun }) =>
      lastRun ? (
        <span className="flex flex-wrap items-center gap-2">
          <RunState status={lastRun.status} />
          <TimeAgo at={lastRun.startedAt} missing="" />
        </span>
      ) : (
        'never'
      ),
  },
]
