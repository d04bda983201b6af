import { Link } from '@tanstack/react-router'
import { Globe, Lock } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { BucketList, BucketUsages } from '@holdfast/protocol'
import { NoRows, SearchField } from '@holdfast/workspace'
import { formatBytes, formatCount } from '../../lib/format.ts'

/** Buckets with their size, and a search. */
export function BucketPane({
  list: { buckets, isCut },
  usages,
}: {
  readonly list: BucketList
  readonly usages: BucketUsages['usages'] | undefined
}): JSX.Element {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const shown = buckets.filter(({ id }) => id.toLowerCase().includes(wanted))
  return (
    <nav aria-label="Buckets" className="flex flex-col gap-3">
      <SearchField label="Search buckets" value={search} onChange={setSearch} />
      {shown.length === 0 ? <NoRows>{wanted === '' ? 'No buckets yet' : 'No bucket matches'}</NoRows> : null}
      <ul aria-label="Buckets">
        {shown.map(({ id, isPublic }) => {
          const usage = usages?.[id] ?? { files: 0, bytes: 0 }
          return (
            <li key={id}>
              <Link
                to="/files"
                search={{ bucket: id }}
                activeOptions={{ exact: false, includeSearch: true }}
                className="flex min-h-8 items-center gap-2 rounded-md px-2 text-muted hover:bg-hover hover:text-text coarse:min-h-11"
                activeProps={{ className: 'bg-accent-soft font-medium text-accent!', 'aria-current': 'page' }}
                title={usages ? `${formatCount(usage.files)} files` : undefined}
              >
                {isPublic ? (
                  <Globe size={14} role="img" aria-label="public" className="shrink-0" />
                ) : (
                  <Lock size={14} role="img" aria-label="private" className="shrink-0" />
                )}
                <span className="min-w-0 flex-1 truncate">{id}</span>
                <span className="shrink-0 text-small text-subtle tabular-nums">
                  {usages ? formatBytes(usage.bytes) : ''}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
      {isCut ? <p className="text-small text-muted">There are more buckets than this list holds.</p> : null}
    </nav>
  )
}
