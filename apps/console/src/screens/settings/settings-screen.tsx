import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Page, Tabs } from '@holdfast/workspace'
import { useHasRole } from '../../lib/session.ts'
import { Backups } from './backups.tsx'
import { Migrations } from './migrations.tsx'
import { Options } from './options.tsx'

const settingsRoute = getRouteApi('/settings')

const TABS = [
  { id: 'options', label: 'Options', content: <Options />, isOwners: false },
  { id: 'migrations', label: 'Migrations', content: <Migrations />, isOwners: false },
  { id: 'backups', label: 'Backups', content: <Backups />, isOwners: true },
] as const

/** What the server runs with, and what it keeps. */
export function SettingsScreen(): JSX.Element {
  const { tab } = settingsRoute.useSearch()
  const navigate = useNavigate({ from: '/settings' })
  const isOwner = useHasRole('owner')
  const tabs = TABS.filter(({ isOwners }) => isOwner || !isOwners)
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs}
        selected={tabs.find(({ id }) => id === tab)?.id ?? 'options'}
        onSelect={(id) => void navigate({ search: { tab: id }, replace: true })}
      />
    </Page>
  )
}
