import { Outlet, useNavigate } from '@tanstack/react-router'
import { Fragment, type JSX, type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Frame } from '../../components/frame.tsx'
import { Notice } from '../../components/notice.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { type DeviceState, hasSession, type SessionState } from '@holdfast/client'
import { useValue, WhenOpen } from '@holdfast/react'
import { usePendingPassword } from '../../lib/pending-password.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { TablesProvider } from '../../lib/data/use-tables.tsx'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { deviceZone, setWorkspaceZone, useWorkspaceZone } from '../../lib/time-zone.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { Shell } from './shell.tsx'

/** Around every screen that needs an account: opens this person's local database, then shows the shell. */
export function SignedInLayout(): JSX.Element {
  const { client } = useBackend()
  const session = useValue(client.session)
  const device = useValue(client.device)
  const navigate = useNavigate()

  const isOut = session.kind === 'signed_out'
  // The session ended by the person's wish, here or in another tab: an event of the client, not of this screen.
  useEffect(() => {
    if (isOut) void navigate({ to: '/sign-in', replace: true })
  }, [isOut, navigate])

  const owes = useOwesPassword(session)
  // A recovery link was followed, perhaps in another tab.
  useEffect(() => {
    if (owes) void navigate({ to: '/recover/new-password', replace: true })
  }, [owes, navigate])

  // A device that was never here has nothing to show before the server sends it; any other opens in a moment.
  const isHalfIn = session.kind === 'second_factor' && device.kind === 'opening' && device.problem !== undefined
  useEffect(() => {
    if (isHalfIn)
      void navigate({ to: '/sign-in/second-factor', search: { redirect: location.pathname }, replace: true })
  }, [isHalfIn, navigate])

  return (
    <WhenOpen otherwise={renderNotOpen}>
      <TablesProvider>
        <Shell>
          <ByWorkspaceClock>
            <Outlet />
          </ByWorkspaceClock>
        </Shell>
      </TablesProvider>
    </WhenOpen>
  )
}

function renderNotOpen(state: Exclude<DeviceState, { kind: 'open' }>): JSX.Element {
  if (state.kind !== 'failed') return <Opening problem={state.kind === 'opening' ? state.problem : undefined} />
  return (
    <Centred>
      <ErrorNotice error={state.error} actions={<Button onPress={() => location.reload()}>{words.tryAgain}</Button>} />
    </Centred>
  )
}

function useOwesPassword(session: SessionState): boolean {
  const pending = usePendingPassword((state) => state.pending)
  return hasSession(session) && pending?.userId === session.user.id
}

/** A database that is on this device opens faster; the words would only flicker. Milliseconds. */
const OPENING_SHOWN_AFTER_MS = 250

/** Mostly for a moment only. The first time on a device it asks the server for the tables, and says why that takes longer. */
function Opening({ problem }: { readonly problem: string | undefined }): JSX.Element {
  const { config } = useBackend()
  const isOnline = useOnline()
  const isSlow = useIsSlow(OPENING_SHOWN_AFTER_MS)
  if (problem === undefined) {
    return (
      <Frame name={config.project.name}>
        <p role="status" className="flex h-full items-center justify-center gap-2 px-4 text-muted">
          {isSlow ? (
            <>
              <Spinner size={16} /> {words.opening}
            </>
          ) : null}
        </p>
      </Frame>
    )
  }
  return (
    <Centred>
      <Notice tone="warning" role="status" title={isOnline ? words.openingSlow : words.openingOffline}>
        <p>{words.openingDetail}</p>
        <p className="flex items-center gap-2 pt-2 text-small text-muted">
          <Spinner size={14} /> {problem}
        </p>
      </Notice>
    </Centred>
  )
}

/** Whether this has been on the screen for so long. */
function useIsSlow(afterMs: number): boolean {
  const [isSlow, setSlow] = useState(false)
  // The clock is outside React.
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), afterMs)
    return () => clearTimeout(timer)
  }, [afterMs])
  return isSlow
}

function Centred({ children }: { readonly children: JSX.Element }): JSX.Element {
  const { config } = useBackend()
  return (
    <Frame name={config.project.name} isBusy={false}>
      <div className="mx-auto max-w-lg px-4 py-16">
        <h1 tabIndex={-1} className="sr-only">
          {words.openingTitle}
        </h1>
        {children}
      </div>
    </Frame>
  )
}

/**
 * Shows days and times by the clocks of the workspace, and all of it again when its zone changes, which it hardly ever does. The zone of this device is none: that it
 * is the workspace's as well is known with the first rows only, and what somebody has opened or typed until then stays.
 */
function ByWorkspaceClock({ children }: { readonly children: ReactNode }): JSX.Element {
  const workspace = useWorkspace()
  const zone = workspace === undefined ? undefined : (workspace?.timeZone ?? null)
  // Texts are formatted outside of React too.
  useEffect(() => {
    if (zone !== undefined) setWorkspaceZone(zone ?? undefined)
  }, [zone])
  const shown = useWorkspaceZone((state) => state.zone)
  return <Fragment key={shown === undefined || shown === deviceZone() ? '' : shown}>{children}</Fragment>
}
