import type { JSX } from 'react'
import type { TableDetails } from '@holdfast/protocol'
import { Chip } from '@holdfast/workspace'
import { formatBytes, formatCount } from '../../lib/format.ts'

/** Kind, size, row-level security and sync of a table. */
export function TableFacts({ details }: { readonly details: TableDetails }): JSX.Element {
  const { kind, estimate, bytes, rls, sync, comment, isManaged } = details
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2 text-small text-muted">
        <span>{kind}</span>
        {estimate === null ? null : <span className="tabular-nums">about {formatCount(estimate)} rows</span>}
        {bytes > 0 ? <span className="tabular-nums">{formatBytes(bytes)}</span> : null}
        {rls === null ? null : (
          <Chip colour={rls === 'off' ? 'coral' : 'green'}>
            {rls === 'off' ? 'RLS off' : rls === 'forced' ? 'RLS forced' : 'RLS on'}
          </Chip>
        )}
        <Chip colour={SYNC_COLOURS[sync.state]}>{sync.state === 'synced' ? 'synced' : 'not synced'}</Chip>
        {isManaged ? <Chip colour="slate">read-only</Chip> : null}
      </div>
      {sync.reason === undefined ? null : <p className="text-small text-muted">Not synced: {sync.reason}</p>}
      {comment === null ? null : <p className="max-w-[72ch] text-small text-muted">{comment}</p>}
    </div>
  )
}

const SYNC_COLOURS = { synced: 'green', refused: 'amber', none: 'slate' } as const
