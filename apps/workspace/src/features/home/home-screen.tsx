import { useEngineStatus, useHasSynced, useUnsent } from '@holdfast/react'
import { useParams } from '@tanstack/react-router'
import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react'
import * as v from 'valibot'
import { lateContent } from '../../components/late-content.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Page } from '../../components/page.tsx'
import { Progress } from '../../components/progress.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { cx } from '../../lib/cx.ts'
import { useSyncLooks } from '../../lib/data/use-sync-looks.ts'
import { firstRows } from '../../lib/data/first-rows.ts'
import { useOnDevice } from '../../hooks/use-on-device.ts'
import { isOnDevice } from '../../lib/is-on-device.ts'
import { localValue } from '../../lib/local-value.ts'
import { useWorkspace, useWorkspaceName } from '../../lib/records/use-workspace.ts'
import { homeMessages as words } from '../../messages/home.ts'
import { shellMessages } from '../../messages/shell.ts'
import { syncMenuMessages } from '../../messages/sync-menu.ts'

/** Delay in ms on a first visit, so that opening a table at once does not wait for this screen's code. */
const SYNCED_MS = 1_000
const SYNCING_MS = 5_000

const lastPlace = localValue('hf-home-place', v.object({ width: v.number(), height: v.number() }))
/** Height in pixels before any is stored. */
const FIRST_HEIGHT = 320

const HomeContent = lateContent(async () => (await import('./home-content.tsx')).HomeContent)

/** The start screen: sync state, open work, recent records and tables. */
export function HomeScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/' })
  const hasSynced = useHasSynced()
  const mayLoad = useMayLoad(hasSynced)
  return (
    <Page title={useTitle(hasSynced)} description={useLead(hasSynced)}>
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

/** The workspace's name, once known. */
function useTitle(hasSynced: boolean): string {
  const name = useWorkspaceName()
  const isKnown = useWorkspace() != null || hasSynced
  return isKnown ? name : shellMessages.home
}

/** One line with the sync state and the number of open decisions. */
function SyncSummary({ workspace }: { readonly workspace: string }): JSX.Element {
  const { attention } = useUnsent()
  const looks = useSyncLooks()
  const tone = { quiet: 'text-success', info: 'text-info', warning: 'text-warning', danger: 'text-danger' }[looks.tone]
  return (
    <section
      aria-label={words.sync}
      // On a phone the work comes first; the chip above already says that all is well.
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

/** Progress of a device's first sync, the only one that the user must wait for. */
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

/**
 * Keeps the height of the last visit until the content has been read, so that nothing below shifts.
 *
 * @param props.children - receives a function to call once the content has been read
 */
function KeptPlace({ children }: { readonly children: (onRead: () => void) => ReactNode }): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const [isRead, setRead] = useState(false)
  const [minHeight] = useState(heightOfLast)
  // The rendered size is outside React.
  useEffect(() => {
    const element = place.current
    if (!isRead || !element) return
    const sizes = new ResizeObserver(() =>
      lastPlace.write({ width: window.innerWidth, height: Math.round(element.offsetHeight) }),
    )
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [isRead])
  return (
    <div ref={place} style={isRead ? undefined : { minHeight }}>
      {children(() => setRead(true))}
    </div>
  )
}

/** Returns the stored height, which depends on the window's width. */
function heightOfLast(): number {
  const last = lastPlace.read()
  return last?.width === window.innerWidth ? last.height : FIRST_HEIGHT
}

/**
 * Whether the rest of the screen may load: at once if the service worker has it, otherwise a moment later.
 *
 * @param hasSynced - whether the first sync has ended; until then it needs the network
 */
function useMayLoad(hasSynced: boolean): boolean {
  const [mayLoad, setMayLoad] = useState(isOnDevice)
  // Timers are outside React.
  useEffect(() => {
    const timer = setTimeout(() => setMayLoad(true), hasSynced ? SYNCED_MS : SYNCING_MS)
    return () => clearTimeout(timer)
  }, [hasSynced])
  return mayLoad
}

/** Promises offline work only once rows and the app's own files are on this device. */
function useLead(hasSynced: boolean): string {
  const isAppHere = useOnDevice()
  if (hasSynced && isAppHere) return words.lead
  // Without TLS, the browser keeps no app.
  return 'serviceWorker' in navigator ? words.leadAtFirst : words.leadOnline
}
