import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { BucketUsage } from '@holdfast/protocol'
import { Chip, IconButton, Menu, MenuItem, MenuSeparator, MenuTrigger, Tabs } from '@holdfast/workspace'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { BucketForm } from './bucket-form.tsx'
import { DeleteBucket, EmptyBucket } from './bucket-removal.tsx'
import { renderSize } from './file-names.ts'
import { FolderTab } from './folder-tab.tsx'
import { PoliciesTab } from './policies-tab.tsx'
import type { BucketProps } from './use-buckets.ts'

const filesRoute = getRouteApi('/files')

type TabId = 'files' | 'policies'

/** One bucket: its limits, its files, and the policies that decide about them. */
export function BucketView({
  bucket,
  usage,
  server,
}: BucketProps & {
  /** `null` if counting takes too long. */
  readonly usage: BucketUsage | null
}): JSX.Element {
  const { tab } = filesRoute.useSearch()
  const navigate = useNavigate({ from: '/files' })
  const mayChange = useHasRole('developer')
  return (
    <section aria-labelledby="bucket-name" className="flex min-w-0 flex-col gap-3">
      <p className="laptop:hidden">
        <Link to="/files" search={{}} className="text-accent hover:underline">
          All buckets
        </Link>
      </p>
      <div className="flex items-start gap-2">
        <h2 id="bucket-name" className="min-w-0 flex-1 text-title [overflow-wrap:anywhere]">
          {bucket.id}
        </h2>
        {mayChange ? <BucketMenu bucket={bucket} server={server} usage={usage} /> : null}
      </div>
      <BucketFacts bucket={bucket} server={server} usage={usage} />
      <Tabs<TabId>
        label="Parts of the bucket"
        selected={tab === 'policies' ? 'policies' : 'files'}
        onSelect={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
        tabs={[
          { id: 'files', label: 'Files', content: <FolderTab bucket={bucket} server={server} /> },
          { id: 'policies', label: 'Policies', content: <PoliciesTab bucket={bucket} /> },
        ]}
      />
    </section>
  )
}

function BucketFacts({
  bucket: { isPublic, fileSizeLimit, allowedMimeTypes },
  server,
  usage,
}: BucketProps & { readonly usage: BucketUsage | null }): JSX.Element {
  const limit = fileSizeLimit ?? server.fileSizeLimit
  return (
    <div className="flex flex-wrap items-center gap-2 text-small text-muted">
      <Chip colour={isPublic ? 'amber' : 'green'}>{isPublic ? 'public' : 'private'}</Chip>
      <span className="tabular-nums">
        {usage === null
          ? 'Too many files to count'
          : `${formatCount(usage.files)} ${usage.files === 1 ? 'file' : 'files'} · ${formatBytes(usage.bytes)}`}
      </span>
      <span className="tabular-nums">· up to {renderSize(limit)} each</span>
      {allowedMimeTypes === null || allowedMimeTypes.length === 0 ? null : (
        <span className="[overflow-wrap:anywhere]">· {allowedMimeTypes.join(', ')}</span>
      )}
    </div>
  )
}

function BucketMenu({ bucket, server, usage }: BucketProps & { readonly usage: BucketUsage | null }): JSX.Element {
  const [asked, setAsked] = useState<'edit' | 'empty' | 'delete'>()
  const onClose = (): void => setAsked(undefined)
  return (
    <>
      <MenuTrigger>
        <IconButton label="Change bucket" icon={<Ellipsis size={18} aria-hidden />} />
        <Menu label="Change bucket">
          <MenuItem onAction={() => setAsked('edit')}>Edit…</MenuItem>
          <MenuSeparator />
          <MenuItem onAction={() => setAsked('empty')}>Empty…</MenuItem>
          <MenuItem onAction={() => setAsked('delete')}>Delete…</MenuItem>
        </Menu>
      </MenuTrigger>
      {asked === 'edit' ? <BucketForm bucket={bucket} server={server} onClose={onClose} /> : null}
      {asked === 'empty' ? <EmptyBucket id={bucket.id} files={usage?.files} onClose={onClose} /> : null}
      {asked === 'delete' ? <DeleteBucket id={bucket.id} onClose={onClose} /> : null}
    </>
  )
}
