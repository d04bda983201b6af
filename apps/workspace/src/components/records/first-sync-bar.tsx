import { useEngineStatus } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { syncMenuMessages as words } from '../../messages/sync-menu.ts'
import { Progress } from '../progress.tsx'

/** Progress of the first sync; above existing rows it announces further ones. */
export function FirstSyncBar(): JSX.Element | null {
  const now = useEngineStatus(({ downloadProgress: progress }) =>
    progress && progress.totalOperations > 0 ? `${progress.downloadedOperations}/${progress.totalOperations}` : '',
  )
  // While reconnecting the engine reports no numbers; keep the last.
  const [known, setKnown] = useState(now)
  if (now !== '' && now !== known) setKnown(now)
  if (known === '') return null
  const [done = 0, total = 0] = known.split('/').map(Number)
  return (
    <div className="shrink-0 border-b border-border bg-surface px-3 py-1.5">
      <Progress label={words.firstSync} value={done} total={total} valueText={words.firstSyncRows(done, total)} />
    </div>
  )
}
