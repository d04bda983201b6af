import { useHasSynced, useIncompleteTables, useLastSyncedAt, useLocalDatabase, useUnsent } from '@holdfast/react'
import { useNavigate, useParams, useRouter } from '@tanstack/react-router'
import { type JSX, type ReactNode, useEffect, useState } from 'react'
import * as v from 'valibot'
import { create } from 'zustand'
import { firstVisitMs, lazyAfterPaint } from '../../components/late-content.tsx'
import { showToast, ToastRegion } from '../../components/toast.tsx'
import { useHotkeys } from '../../hooks/use-hotkeys.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { completeSteps } from '../../lib/coach.ts'
import { rememberWaiting } from '../../lib/data/accounts.ts'
import type { Backend } from '../../lib/data/backend.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { localValue } from '../../lib/local-value.ts'
import { useViews } from '../../lib/views/use-views.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { startKeeping } from '../register-service-worker.ts'
import { Banners } from './banners.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { createOpenLayer, type OpenLayer } from './layer.ts'
import { Layers } from './layers.tsx'
import { type NavigationProps, SideBar } from './side-bar.tsx'
import { TopBar } from './top-bar.tsx'

const LateVisit = lazyAfterPaint(
  async () => (await import('../../lib/records/follow-visit.tsx')).FollowVisit,
  firstVisitMs,
)

const storedSideBar = localValue('hf-side-bar', v.object({ isNarrow: v.boolean() }))
const useSideBarStore = create<{ readonly isNarrow: boolean }>(() => storedSideBar.read() ?? { isNarrow: false })

/** The frame of every screen: top bar, navigation, banners and overlays. */
export function Shell({ children }: { readonly children: ReactNode }): JSX.Element {
  const backend = useBackend()
  const { config } = backend
  const { userId } = useLocalDatabase()
  const { waiting, attention } = useUnsent()
  const [openLayer] = useState(createOpenLayer)
  const hasSynced = useHasSynced()
  const [isNarrow, setNarrow] = useSideBar()
  const workspace = useParams({ strict: false }).ws ?? config.project.slug
  const navigation: NavigationProps = {
    workspace,
    tables: useTables(),
    counts: useTableCounts(),
    views: useViews(),
    attention: attention + useIncompleteTables().length,
    waiting,
  }

  useEffect(() => {
    if (hasSynced) startKeeping()
  }, [hasSynced])
  useAskPersistence(waiting > 0)
  // The sign-in screen's list is stored outside this account's database.
  useEffect(() => rememberWaiting(userId, waiting + attention), [userId, waiting, attention])
  const isOnline = useOnline()
  // The coach on the home screen is not there to see it.
  useEffect(() => {
    if (!isOnline && waiting > 0) completeSteps(userId, ['offline'])
  }, [isOnline, waiting, userId])
  useShellKeys(navigation, openLayer)
  usePush(backend, userId)

  return (
    <div className="flex h-full flex-col">
      <TopBar navigation={navigation} onLayer={openLayer.set} />
      <Banners />
      <div className="flex min-h-0 flex-1">
        <SideBar {...navigation} isNarrow={isNarrow} onNarrowChange={setNarrow} />
        <main id="content" tabIndex={-1} className="relative min-h-0 min-w-0 flex-1 overflow-auto bg-bg">
          {children}
        </main>
      </div>
      <BottomBar
        workspace={workspace}
        attention={attention}
        onTables={() => openLayer.set('drawer')}
        onSearch={() => openLayer.set('palette')}
      />
      <ToastRegion />
      {hasSynced ? <LateVisit /> : null}
      <Layers openLayer={openLayer} navigation={navigation} />
    </div>
  )
}

/** Renews this device's push subscription, if the user allowed notifications. */
function usePush(backend: Backend, userId: string): void {
  const router = useRouter()
  useEffect(() => {
    if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
    let end: (() => void) | undefined
    let hasEnded = false
    const loading = import('../../lib/push/follow-push.ts').then(({ followPush }) => {
      if (!hasEnded) end = followPush(backend, userId, (path) => router.history.push(path))
    })
    loading.catch((error: unknown) => console.info('Notifications are not followed:', error))
    return () => {
      hasEnded = true
      end?.()
    }
  }, [backend, userId, router])
}

/** Shortcuts available on every screen. */
function useShellKeys({ workspace, waiting }: NavigationProps, { store, set: onLayer }: OpenLayer): void {
  const navigate = useNavigate()
  const lastSyncedAt = useLastSyncedAt()
  const params = { ws: workspace }
  useHotkeys({
    'mod+k': () => onLayer(store.getState().layer === 'palette' ? undefined : 'palette'),
    'mod+/': () => onLayer('shortcuts'),
    '?': () => onLayer('shortcuts'),
    '/': () => onLayer('palette'),
    'g t': () => onLayer('palette'),
    'g h': () => void navigate({ to: '/w/$ws', params }),
    'g m': () => void navigate({ to: '/w/$ws/my-work', params }),
    'g i': () => void navigate({ to: '/w/$ws/inbox', params }),
    'g s': () => void navigate({ to: '/w/$ws/search', params }),
    'g y': () => void navigate({ to: '/w/$ws/sync', params }),
    'mod+s': () => showToast({ text: words.nothingToSave(waiting, lastSyncedAt) }),
  })
}

/** Whether the side bar shows only icons; stored on this device. */
function useSideBar(): readonly [boolean, (isNarrow: boolean) => void] {
  const isNarrow = useSideBarStore((state) => state.isNarrow)
  return [
    isNarrow,
    (next) => {
      useSideBarStore.setState({ isNarrow: next })
      storedSideBar.write({ isNarrow: next })
    },
  ]
}

/**
 * Requests persistent storage as soon as this device has unsent data, when the user understands a browser prompt. Asks once per page; the Sync centre shows a
 * refusal.
 */
function useAskPersistence(hasUnsent: boolean): void {
  // Browser permissions are outside React.
  useEffect(() => {
    if (!hasUnsent || typeof navigator.storage?.persist !== 'function') return
    navigator.storage
      .persist()
      .catch((error: unknown) => console.info('The browser did not say whether it protects the data.', error))
  }, [hasUnsent])
}
