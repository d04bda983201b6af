import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { includesRole } from '@holdfast/protocol'
import { Page, Tabs } from '@holdfast/workspace'
import { useOperator } from '../../lib/session.ts'
import { Backups } from './backups.tsx'
import { Keys } from './keys.tsx'
import { MailTemplates } from './mail-templates.tsx'
import { Migrations } from './migrations.tsx'
import { Options } from './options.tsx'
import { Providers } from './providers.tsx'

const settingsRoute = getRouteApi('/settings')

const TABS = [
  { id: 'options', label: 'Options', content: <Options />, role: 'viewer' },
  { id: 'providers', label: 'Providers', content: <Providers />, role: 'viewer' },
  { id: 'mails', label: 'Mails', content: <MailTemplates />, role: 'viewer' },
  { id: 'migrations', label: 'Migrations', content: <Migrations />, role: 'viewer' },
  { id: 'keys', label: 'Keys', content: <Keys />, role: 'developer' },
  { id: 'backups', label: 'Backups', content: <Backups />, role: 'owner' },
] as const

/** What the server runs with, and what it keeps. */
export function SettingsScreen(): JSX.Element {
  const { tab } = settingsRoute.useSearch()
  const navigate = useNavigate({ from: '/settings' })
  const operator = useOperator()
  const tabs = TABS.filter(({ role }) => includesRole(operator.role, role))
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
