import { useEngineStatus } from '@holdfast/react'
import type { JSX } from 'react'
import { useSyncLooks } from '../../lib/data/use-sync-looks.ts'
import { firstRows } from '../../lib/data/first-rows.ts'
import { syncMenuMessages as words } from '../../messages/sync-menu.ts'
import { EmptyState } from '../empty-state.tsx'
import { FirstSyncBar } from './first-sync-bar.tsx'
import { Skeleton } from '../skeleton.tsx'

/** Placeholder for rows before the end of the first sync, with its status. */
export function FirstRowsNote({ rows }: { readonly rows: number }): JSX.Element {
  const fraction = useEngineStatus((status) => status.downloadProgress?.downloadedFraction)
  const first = firstRows(useSyncLooks(), fraction === undefined ? undefined : Math.floor(fraction * 100))
  if (first.kind === 'held') return <EmptyState title={words.noRowsYet}>{first.text}</EmptyState>
  return (
    <>
      {fraction === undefined ? (
        <p className="py-2 text-small text-muted">{first.text}</p>
      ) : (
        <div className="-mx-3">
          <FirstSyncBar />
        </div>
      )}
      <Skeleton rows={rows} label={first.text} />
    </>
  )
}
