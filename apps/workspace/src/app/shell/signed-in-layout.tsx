import { Outlet, useNavigate } from '@tanstack/react-router'
import { Fragment, type JSX, type ReactNode, useEffect, useState } from 'react'
import { ReloadButton } from '../../components/reload-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Frame } from '../../components/frame.tsx'
import { Notice } from '../../components/notice.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { type DeviceState, hasSession, type SessionState } from '@holdfast/client'
import { useValue, WhenOpen } from '@holdfast/react'
import { latePart } from '../../lib/late-part.ts'
import { usePendingPassword } from '../../lib/pending-password.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { TablesProvider } from '../../lib/data/use-tables.tsx'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { deviceZone, setWorkspaceZone, useWorkspaceZone } from '../../lib/time-zone.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { Shell } from './shell.tsx'

/** Wraps every screen that needs an account: opens the user's local database, then renders the shell. */
export function SignedInLayout(): JSX.Element {
  const { client } = useBackend()
  const session = useValue(client.session)
  const device = useValue(client.device)
  const navigate = useNavigate()

  const isOut = session.kind === 'signed_out'
  // The user ended the session here or in another tab, which the client reports.
  useEffect(() => {
    if (isOut) void navigate({ to: '/sign-in', replace: true })
  }, [isOut, navigate])

  const owes = useOwesPassword(session)
  // A recovery link was opened, possibly in another tab.
  useEffect(() => {
    if (owes) void navigate({ to: '/recover/new-password', replace: true })
  }, [owes, navigate])

  // A new device has nothing to show before the server sends it; others open within moments.
  const isHalfIn = session.kind === 'second_factor' && device.kind === 'opening' && device.problem !== undefined
  useEffect(() => {
    if (isHalfIn)
      void navigate({ to: '/sign-in/second-factor', search: { redirect: location.pathname }, replace: true })
  }, [isHalfIn, navigate])

  return (
    <WhenOpen otherwise={renderNotOpen}>
      <TablesProvider formats={formats}>
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
      <ErrorNotice error={state.error} actions={<ReloadButton label={words.tryAgain} />} />
    </Centred>
  )
}

function useOwesPassword(session: SessionState): boolean {
  const pending = usePendingPassword((state) => state.pending)
  return hasSession(session) && pending?.userId === session.user.id
}

const formats = latePart(() => import('../../lib/fields/field-formats.ts'))

/** Delay in ms before the text appears. An existing database opens faster, and the text would only flicker. */
const OPENING_SHOWN_AFTER_MS = 250

/** Shown while the database opens. On a new device it fetches the tables from the server and explains any delay. */
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

/** Whether the component has been mounted for this long. */
function useIsSlow(afterMs: number): boolean {
  const [isSlow, setSlow] = useState(false)
  // Timers are outside React.
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
 * Formats days and times in the workspace's time zone. Remounts everything when that zone changes, which is rare. The device's own zone does not count as a
 * change: it applies before the first rows name the workspace's zone, and what the user has opened or typed by then must stay.
 */
function ByWorkspaceClock({ children }: { readonly children: ReactNode }): JSX.Element {
  const workspace = useWorkspace()
  const zone = workspace === undefined ? undefined : (workspace?.timeZone ?? null)
  // Texts are also formatted outside React.
  useEffect(() => {
    if (zone !== undefined) setWorkspaceZone(zone ?? undefined)
  }, [zone])
  const shown = useWorkspaceZone((state) => state.zone)
  return <Fragment key={shown === undefined || shown === deviceZone() ? '' : shown}>{children}</Fragment>
}
