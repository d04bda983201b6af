import { Fragment, type JSX, type ReactNode, useEffect } from 'react'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { deviceZone, setWorkspaceZone, useWorkspaceZone } from '../../lib/time-zone.ts'

/**
 * Shows days and times by the clocks of the workspace, and all of it again when its zone changes, which it hardly ever does. The zone of this device is none: that it
 * is the workspace's as well is known with the first rows only, and what somebody has opened or typed until then stays.
 */
export function ByWorkspaceClock({ children }: { readonly children: ReactNode }): JSX.Element {
  const workspace = useWorkspace()
  const zone = workspace === undefined ? undefined : (workspace?.timeZone ?? null)
  // Texts are formatted outside of React too.
  useEffect(() => {
    if (zone !== undefined) setWorkspaceZone(zone ?? undefined)
  }, [zone])
  const shown = useWorkspaceZone((state) => state.zone)
  return <Fragment key={shown === undefined || shown === deviceZone() ? '' : shown}>{children}</Fragment>
}
