import { useIncompleteTables, useUnsent } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { lateContent } from '../../components/late-content.tsx'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useRefusedFiles } from '../../lib/photos/use-refused-files.ts'
import { syncFileMessages } from '../../messages/sync-files.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { syncMenuMessages } from '../../messages/sync-menu.ts'
import { AttentionTab } from './attention-tab.tsx'
import { DeviceTab } from './device-tab.tsx'
import { OutboxTab } from './outbox-tab.tsx'

const { Content: FilesTab } = lateContent(async () => (await import('./files-tab.tsx')).FilesTab)

/** Unsent changes, rejected changes and this device's data. */
export function SyncCentreScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/sync' })
  const { tab = 'outbox' } = useSearch({ from: '/signed-in/w/$ws/sync' })
  const { waiting, attention, files } = useUnsent()
  const refusedFiles = useRefusedFiles()
  const incomplete = useIncompleteTables().length
  const navigate = useNavigate()
  return (
    <Page title={syncMenuMessages.centre}>
      <Tabs
        label={syncMenuMessages.centre}
        selected={tab}
        onSelect={(next) => void navigate({ to: '/w/$ws/sync', params: { ws }, search: { tab: next }, replace: true })}
        tabs={[
          { id: 'outbox', label: words.tabOutbox, count: waiting, content: <OutboxTab workspace={ws} /> },
          {
            id: 'attention',
            label: syncMenuMessages.tabAttention,
            count: attention + incomplete + refusedFiles,
            tone: 'danger',
            content: <AttentionTab workspace={ws} />,
          },
          {
            id: 'files',
            label: syncFileMessages.tabFiles,
            count: files,
            content: <FilesTab workspace={ws} />,
          },
          { id: 'device', label: words.tabDevice, content: <DeviceTab waiting={waiting} /> },
        ]}
      />
    </Page>
  )
}
