import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { JobRun, ListedJob } from '@holdfast/protocol'
import { Button, EmptyState, NoRows, Page, Section } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { Facts } from '../../components/facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useChange } from '../../lib/use-change.ts'
import { durationOf, RunState } from './job-texts.tsx'
import { RunnerNotice } from './scheduled-jobs.tsx'
import { REFRESH_MS, useJobs } from './use-jobs.ts'

const jobRoute = getRouteApi('/jobs/$id')

/** One scheduled job: what it does, when, and its runs. */
export function JobScreen(): JSX.Element {
  const { id } = jobRoute.useParams()
  const list = useJobs()
  const mayAct = useHasRole('developer')
  const job = list.data?.jobs.find((one) => one.id === id)
  return (
    <Page
      title={job?.name ?? `Job ${id}`}
      actions={mayAct && job ? <Actions job={job} canRun={list.data?.runner === 'server'} /> : undefined}
      description={
        <Link to="/jobs" className="text-accent hover:underline">
          All jobs
        </Link>
      }
    >
      <QueryState query={list} rows={8}>
        {({ runner }) =>
          job ? (
            <div className="flex flex-col gap-8">
              <RunnerNotice runner={runner} />
              <JobFacts job={job} />
              <Runs id={id} />
            </div>
          ) : (
            <EmptyState title="There is no such job">It may have been unscheduled.</EmptyState>
          )
        }
      </QueryState>
    </Page>
  )
}

function Actions({ job, canRun }: { readonly job: ListedJob; readonly canRun: boolean }): JSX.Element {
  const run = useChange('The job runs within a second.', [['jobs'], ['job', job.id]])
  const change = useChange(job.isActive ? 'The job was switched off.' : 'The job was switched on.', [['jobs']])
  return (
    <>
      <Button
        isPending={change.isPending}
        onPress={() => change.mutate({ target: `PATCH /jobs/${job.id}`, body: { isActive: !job.isActive } })}
      >
        {job.isActive ? 'Switch off' : 'Switch on'}
      </Button>
      {canRun ? (
        <Button
          tone="primary"
          isDisabled={!job.isActive}
          isPending={run.isPending}
          onPress={() => run.mutate({ target: `POST /jobs/${job.id}/run` })}
        >
          Run now
        </Button>
      ) : null}
    </>
  )
}

function JobFacts({ job }: { readonly job: ListedJob }): JSX.Element {
  const { schedule, username, isActive, nextAt, command, id } = job
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Id', id],
          ['Schedule (UTC)', schedule],
          ['State', isActive ? 'on' : 'off'],
          ['Next run', nextAt === null ? '–' : formatTime(nextAt)],
          ['Runs as', username],
        ]}
      />
      {command === null ? (
        <p className="text-muted">Developers see the command.</p>
      ) : (
        <TextBlock label="Command" className="max-h-64">
          {command}
        </TextBlock>
      )}
    </div>
  )
}

interface RunPage {
  readonly runs: readonly JobRun[]
  readonly next?: string
}

function Runs({ id }: { readonly id: string }): JSX.Element {
  const list = useInfiniteQuery({
    queryKey: ['job', id, 'runs'],
    queryFn: ({ pageParam, signal }) =>
      request<RunPage>(`GET /jobs/${encodeURIComponent(id)}/runs${queryOf({ before: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  })
  return (
    <Section title="Runs" description="Newest first.">
      <QueryState query={list}>
        {({ pages }) => {
          const runs = pages.flatMap((page) => page.runs)
          return runs.length === 0 ? (
            <NoRows>It has not run yet</NoRows>
          ) : (
            <div className="flex flex-col gap-3">
              <DataTable label="Runs" columns={RUNS} rows={runs} keyOf={(run) => run.id} />
              <ShowMore list={list} />
            </div>
          )
        }}
      </QueryState>
    </Section>
  )
}

const RUNS: readonly TableColumn<JobRun>[] = [
  { id: 'state', label: 'Result', cell: ({ status }) => <RunState status={status} /> },
  { id: 'at', label: 'Started', cell: ({ startedAt }) => <TimeAgo at={startedAt} missing="–" /> },
  { id: 'duration', label: 'Duration', isNumber: true, cell: durationOf },
  { id: 'message', label: 'Message', cell: ({ message }) => message ?? '–' },
]
