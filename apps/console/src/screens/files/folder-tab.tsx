import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FileUp, Folder, RefreshCw } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import type { FolderPage } from '@holdfast/protocol'
import { Button, NoRows, SearchField } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import type { BucketProps } from './bucket-view.tsx'
import { DeleteFiles } from './delete-files.tsx'
import { FileDialog } from './file-dialog.tsx'
import { foldersTo, lastSegmentOf } from './file-names.ts'
import { FileSelection, selectionColumn } from './file-selection.tsx'
import { UploadList } from './upload-list.tsx'
import { folderKey } from './use-buckets.ts'
import { useUploads } from './use-uploads.ts'

const filesRoute = getRouteApi('/files')

/** A folder or file of a list. */
interface Entry {
  readonly key: string
  readonly isFolder: boolean
  readonly bytes: number | null
  readonly mimeType: string | null
  readonly updatedAt: string | null
}

/** The folders and files of a bucket, one level at a time. */
export function FolderTab({ bucket, server }: BucketProps): JSX.Element {
  const { folder = '', file } = filesRoute.useSearch()
  const navigate = useNavigate({ from: '/files' })
  const [search, setSearch] = useState('')
  const settled = useDebounced(search)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isDeleting, setDeleting] = useState(false)
  const mayChange = useHasRole('developer')
  const uploads = useUploads(bucket, server)
  const prefix = `${folder}${settled}`
  const list = useInfiniteQuery({
    queryKey: [...folderKey(bucket.id), prefix],
    queryFn: ({ pageParam, signal }) =>
      request<FolderPage>(`GET /files/list${queryOf({ bucket: bucket.id, prefix, after: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const open = (change: { readonly folder?: string; readonly file?: string }): void => {
    if (change.folder !== undefined) {
      setSearch('')
      setChosen([])
    }
    void navigate({ search: ({ file: _file, ...before }) => ({ ...before, ...change }) })
  }
  return (
    <div className="flex flex-col gap-3">
      <Path bucket={bucket.id} folder={folder} onOpen={(to) => open({ folder: to })} />
      <div className="flex flex-wrap gap-2">
        <SearchField label="Names that start with" value={search} onChange={setSearch} className="min-w-60 flex-1" />
        <Button
          icon={<RefreshCw size={16} aria-hidden />}
          isPending={list.isFetching}
          onPress={() => void list.refetch()}
        >
          Reload
        </Button>
        {mayChange ? <UploadButton onFiles={(files) => uploads.add(folder, files)} /> : null}
      </div>
      <UploadList uploads={uploads} />
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const entries = pages.flatMap(toEntries)
          if (entries.length === 0)
            return <NoRows>{settled === '' ? 'No files here' : 'No name starts with this'}</NoRows>
          const columns = columnsOf(open)
          return (
            <>
              {mayChange ? (
                <FileSelection
                  keys={entries.filter(({ isFolder }) => !isFolder).map(({ key }) => key)}
                  chosen={chosen}
                  onChoose={setChosen}
                  onDelete={() => setDeleting(true)}
                />
              ) : null}
              <DataTable
                label="Files"
                columns={mayChange ? [selectionColumn<Entry>(chosen, setChosen), ...columns] : columns}
                rows={entries}
                keyOf={({ key }) => key}
              />
              <p className="flex items-center gap-3 text-small text-muted">
                {formatCount(entries.length)} shown
                <ShowMore list={list} />
              </p>
            </>
          )
        }}
      </QueryState>
      {file === undefined ? null : (
        <FileDialog
          key={file}
          bucket={bucket}
          fileKey={file}
          publicUrl={server.publicUrl}
          onClose={() => open({})}
          onMoved={(to) => open({ file: to })}
        />
      )}
      {isDeleting ? (
        <DeleteFiles
          bucket={bucket.id}
          keys={chosen}
          onClose={() => setDeleting(false)}
          onDone={() => {
            setDeleting(false)
            setChosen([])
          }}
        />
      ) : null}
    </div>
  )
}

function Path({
  bucket,
  folder,
  onOpen,
}: {
  readonly bucket: string
  readonly folder: string
  readonly onOpen: (folder: string) => void
}): JSX.Element {
  const steps = ['', ...foldersTo(folder)]
  return (
    <nav aria-label="Path" className="flex flex-wrap items-center gap-x-1 text-small">
      {steps.map((step, at) => (
        <span key={step} className="flex min-w-0 items-center gap-1">
          {at > 0 ? <span className="text-subtle">/</span> : null}
          <Link
            to="/files"
            search={{ bucket, ...(step !== '' && { folder: step }) }}
            onClick={() => onOpen(step)}
            aria-current={at === steps.length - 1 ? 'location' : undefined}
            className="inline-flex min-h-6 items-center text-accent [overflow-wrap:anywhere] hover:underline coarse:min-h-11"
          >
            {at === 0 ? bucket : lastSegmentOf(step).slice(0, -1) || '(empty)'}
          </Link>
        </span>
      ))}
    </nav>
  )
}

function UploadButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <Button tone="primary" icon={<FileUp size={16} aria-hidden />} onPress={() => input.current?.click()}>
        Upload
      </Button>
    </>
  )
}

function toEntries({ folders, files }: FolderPage): readonly Entry[] {
  return [
    ...folders.map((key): Entry => ({ key, isFolder: true, bytes: null, mimeType: null, updatedAt: null })),
    ...files.map((file): Entry => ({ ...file, isFolder: false })),
  ]
}

function columnsOf(
  open: (change: { readonly folder?: string; readonly file?: string }) => void,
): readonly TableColumn<Entry>[] {
  return [
    {
      id: 'name',
      label: 'Name',
      cell: ({ key, isFolder }) => (
        <button
          type="button"
          onClick={() => open(isFolder ? { folder: key } : { file: key })}
          className="flex min-h-6 items-center gap-2 text-left font-medium text-accent [overflow-wrap:anywhere] hover:underline coarse:min-h-11"
        >
          {isFolder ? <Folder size={16} aria-hidden className="shrink-0 text-muted" /> : null}
          {lastSegmentOf(key)}
        </button>
      ),
    },
    {
      id: 'bytes',
      label: 'Size',
      isNumber: true,
      cell: ({ bytes }) => (bytes === null ? '–' : <span className="whitespace-nowrap">{formatBytes(bytes)}</span>),
    },
    { id: 'type', label: 'Type', cell: ({ mimeType, isFolder }) => (isFolder ? 'Folder' : (mimeType ?? '–')) },
    { id: 'updated', label: 'Changed', cell: ({ updatedAt }) => <TimeAgo at={updatedAt} missing="–" /> },
  ]
}
