import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import type { FolderPage } from '@holdfast/protocol'
import { queryOf, request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { DeleteFiles } from './delete-files.tsx'
import { DeleteFolder } from './delete-folder.tsx'
import { FileDialog } from './file-dialog.tsx'
import { parentOf } from './file-names.ts'
import { FolderBar } from './folder-bar.tsx'
import { FolderList } from './folder-list.tsx'
import { FolderPath } from './folder-path.tsx'
import { UploadList } from './upload-list.tsx'
import { type BucketProps, folderKey } from './use-buckets.ts'
import { useThumbnails } from './use-thumbnails.ts'
import { useUploads } from './use-uploads.ts'

const filesRoute = getRouteApi('/files')

/** The folders and files of a bucket, one level at a time. */
export function FolderTab({ bucket, server }: BucketProps): JSX.Element {
  const { folder = '', file } = filesRoute.useSearch()
  const navigate = useNavigate({ from: '/files' })
  const [search, setSearch] = useState('')
  const settled = useDebounced(search)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [deleting, setDeleting] = useState<'files' | 'folder'>()
  const [hasThumbnails, setThumbnails] = useState(false)
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
  const thumbnails = useThumbnails(bucket.id, list.data?.pages ?? [], hasThumbnails && mayChange)
  const open = (change: { readonly folder?: string; readonly file?: string }): void => {
    if (change.folder !== undefined) {
      setSearch('')
      setChosen([])
    }
    void navigate({ search: ({ file: _file, ...before }) => ({ ...before, ...change }) })
  }
  return (
    <div className="flex flex-col gap-3">
      <FolderPath bucket={bucket.id} folder={folder} onOpen={(to) => open({ folder: to })} />
      <FolderBar
        search={search}
        onSearch={setSearch}
        isLoading={list.isFetching}
        onReload={() => void list.refetch()}
        changes={
          mayChange
            ? {
                hasThumbnails,
                onThumbnails: setThumbnails,
                onFiles: (files) => uploads.add(folder, files),
                onDelete: folder === '' ? undefined : () => setDeleting('folder'),
              }
            : undefined
        }
      />
      <UploadList uploads={uploads} />
      <FolderList
        list={list}
        isSearched={settled !== ''}
        thumbnails={thumbnails}
        onOpen={open}
        selection={mayChange ? { chosen, onChoose: setChosen, onDelete: () => setDeleting('files') } : undefined}
      />
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
      <Deletion
        bucket={bucket.id}
        what={deleting}
        keys={chosen}
        folder={folder}
        onClose={() => setDeleting(undefined)}
        onDone={() => {
          setDeleting(undefined)
          setChosen([])
          if (deleting === 'folder') open({ folder: parentOf(folder) })
        }}
      />
    </div>
  )
}

/** Confirms the deletion of the chosen files, or of the open folder. */
function Deletion({
  what,
  bucket,
  keys,
  folder,
  ...answers
}: {
  readonly what: 'files' | 'folder' | undefined
  readonly bucket: string
  readonly keys: readonly string[]
  readonly folder: string
  readonly onClose: () => void
  readonly onDone: () => void
}): JSX.Element | null {
  if (what === 'files') return <DeleteFiles bucket={bucket} keys={keys} {...answers} />
  return what === 'folder' ? <DeleteFolder bucket={bucket} folder={folder} {...answers} /> : null
}
