import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { Folder } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { FolderPage } from '@holdfast/protocol'
import { NoRows } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { lastSegmentOf } from './file-names.ts'
import { FileSelection, selectionColumn } from './file-selection.tsx'

/** A folder or file of a list. */
interface Entry {
  readonly key: string
  readonly isFolder: boolean
  readonly bytes: number | null
  readonly mimeType: string | null
  readonly updatedAt: string | null
}

export interface FolderListProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<FolderPage>>
  readonly isSearched: boolean
  /** Paths of small images by name. */
  readonly thumbnails: Readonly<Record<string, string>>
  readonly onOpen: (change: { readonly folder?: string; readonly file?: string }) => void
  /** Missing for operators who may not delete files. */
  readonly selection:
    | {
        readonly chosen: readonly string[]
        readonly onChoose: (keys: readonly string[]) => void
        readonly onDelete: () => void
      }
    | undefined
}

/** The folders and files of one level. */
export function FolderList({ list, isSearched, thumbnails, onOpen, selection }: FolderListProps): JSX.Element {
  return (
    <QueryState query={list} rows={10}>
      {({ pages }) => {
        const entries = pages.flatMap(toEntries)
        if (entries.length === 0) return <NoRows>{isSearched ? 'No name starts with this' : 'No files here'}</NoRows>
        const columns = columnsOf(onOpen, thumbnails)
        return (
          <>
            {selection ? (
              <FileSelection {...selection} keys={entries.filter(({ isFolder }) => !isFolder).map(({ key }) => key)} />
            ) : null}
            <DataTable
              label="Files"
              columns={selection ? [selectionColumn<Entry>(selection.chosen, selection.onChoose), ...columns] : columns}
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
  )
}

function toEntries({ folders, files }: FolderPage): readonly Entry[] {
  return [
    ...folders.map((key): Entry => ({ key, isFolder: true, bytes: null, mimeType: null, updatedAt: null })),
    ...files.map((file): Entry => ({ ...file, isFolder: false })),
  ]
}

/** A small image, loaded once it is near the window. One that cannot be drawn is left out. */
function Thumbnail({ path }: { readonly path: string }): JSX.Element | null {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return null
  return (
    <img
      src={path}
      alt=""
      loading="lazy"
      width={40}
      height={40}
      className="size-10 shrink-0 rounded-sm border border-border bg-sunken object-cover"
      onError={() => setBroken(true)}
    />
  )
}

function columnsOf(
  open: (change: { readonly folder?: string; readonly file?: string }) => void,
  thumbnails: Readonly<Record<string, string>>,
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
          {thumbnails[key] === undefined ? null : <Thumbnail key={thumbnails[key]} path={thumbnails[key]} />}
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
