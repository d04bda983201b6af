import { useEngineStatus, useHasSynced, useUnsent } from '@holdfast/react'
import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { lateContent } from '../../components/late-content.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Page } from '../../components/page.tsx'
import { Progress } from '../../components/progress.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { cx } from '../../lib/cx.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useSyncLooks } from '../../lib/data/use-sync-looks.ts'
import { firstRows } from '../../lib/data/first-rows.ts'
import { homeMessages as words } from '../../messages/home.ts'
import { syncMenuMessages } from '../../messages/sync-menu.ts'
import { KeptPlace } from './kept-place.tsx'
import { useMayLoad } from './use-may-load.ts'

const HomeContent = lateContent(async () => (await import('./home-content.tsx')).HomeContent)

/** Where one starts: how sync stands, what is to be done, what was open last, and the tables. */
export function HomeScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/' })
  const { config } = useBackend()
  const hasSynced = useHasSynced()
  const mayLoad = useMayLoad(hasSynced)
  return (
    <Page title={config.project.name} description={hasSynced ? words.lead : words.leadAtFirst}>
      <div className="flex flex-col gap-8">
        {hasSynced ? <SyncSummary workspace={ws} /> : <FirstSync />}
        <KeptPlace>
          {(onRead) =>
            mayLoad ? (
              <HomeContent.Content workspace={ws} hasSynced={hasSynced} onRead={onRead} />
            ) : hasSynced ? (
              <div aria-hidden>
                <Skeleton rows={6} />
              </div>
            ) : null
          }
        </KeptPlace>
      </div>
    </Page>
  )
}

/** One line: the state in words, and the open decisions. */
function SyncSummary({ workspace }: { readonly workspace: string }): JSX.Element {
  const { attention } = useUnsent()
  const looks = useSyncLooks()
  const tone = { quiet: 'text-success', info: 'text-info', warning: 'text-warning', danger: 'text-danger' }[looks.tone]
  return (
    <section
      aria-label={words.sync}
      // On a phone the work comes first; that all is well says the chip above it.
      className={cx(
        'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-border bg-surface px-4 py-3',
        looks.tone === 'quiet' && 'max-tablet:hidden',
      )}
    >
      <span className={`flex ${tone}`}>
        {looks.glyph === 'spinner' ? <Spinner size={18} /> : <StateGlyph name={looks.glyph} size={18} />}
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">{looks.text}</p>
        <p className="text-small text-muted">{looks.detail}</p>
      </div>
      <LinkButton
        size="sm"
        to="/w/$ws/sync"
        params={{ ws: workspace }}
        search={attention > 0 ? { tab: 'attention' } : {}}
      >
        {attention > 0 ? syncMenuMessages.decide : syncMenuMessages.centre}
      </LinkButton>
    </section>
  )
}

/** The very first sync of a device: the one time that something has to be waited for. */
function FirstSync(): JSX.Element {
  const done = useEngineStatus((status) => status.downloadProgress?.downloadedOperations ?? 0)
  const total = useEngineStatus((status) => status.downloadProgress?.totalOperations ?? 0)
  const first = firstRows(useSyncLooks(), undefined)
  return (
    <section aria-label={syncMenuMessages.firstSync} className="rounded-lg border border-border bg-surface px-4 py-4">
      {total > 0 ? (
        <Progress
          label={syncMenuMessages.firstSync}
          value={done}
          total={total}
          valueText={syncMenuMessages.firstSyncRows(done, total)}
        />
      ) : (
        <p role="status" className="flex items-center gap-3 text-body">
          {first.kind === 'coming' ? (
            <>
              <Spinner /> {syncMenuMessages.firstSyncStarting}
            </>
          ) : (
            <>
              <StateGlyph name="cloud-off" /> {`${syncMenuMessages.noRowsYet}. ${first.text}`}
            </>
          )}
        </p>
      )}
    </section>
  )
}
