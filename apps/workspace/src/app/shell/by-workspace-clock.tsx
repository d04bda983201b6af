import { Fragment, type JSX, type ReactNode, useEffect } from 'react'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { setWorkspaceZone, useWorkspaceZone } from '../../lib/time-zone.ts'

/** Shows days and times by the clocks of the workspace, and all of it again when its zone changes, which it hardly ever does. */
export function ByWorkspaceClock({ children }: { readonly children: ReactNode }): JSX.Element {
  const workspace = useWorkspace()
  const zone = workspace === undefined ? undefined : (workspace?.timeZone ?? null)
  // Texts are formatted outside of React too.
  useEffect(() => {
    if (zone !== undefined) setWorkspaceZone(zone ?? undefined)
  }, [zone])
  return <Fragment key={useWorkspaceZone((state) => state.zone) ?? ''}>{children}</Fragment>
}
