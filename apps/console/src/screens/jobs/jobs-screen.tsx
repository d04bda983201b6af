import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Page, Tabs } from '@holdfast/workspace'
import { Mails } from './mails.tsx'
import { Queues } from './queues.tsx'
import { ScheduledJobs } from './scheduled-jobs.tsx'
import { Webhooks } from './webhooks.tsx'

const jobsRoute = getRouteApi('/jobs')

const TABS = [
  { id: 'scheduled', label: 'Scheduled', content: <ScheduledJobs /> },
  { id: 'webhooks', label: 'Webhooks', content: <Webhooks /> },
  { id: 'queues', label: 'Queues', content: <Queues /> },
  { id: 'mailbox', label: 'Mailbox', content: <Mails /> },
] as const

/** What runs without a request: scheduled jobs, requests of the database, queues, and mails. */
export function JobsScreen(): JSX.Element {
  const { tab } = jobsRoute.useSearch()
  const navigate = useNavigate({ from: '/jobs' })
  return (
    <Page title="Jobs">
      <Tabs
        label="Jobs"
        tabs={TABS}
        selected={TABS.find(({ id }) => id === tab)?.id ?? 'scheduled'}
        onSelect={(id) => void navigate({ search: { tab: id }, replace: true })}
      />
    </Page>
  )
}
