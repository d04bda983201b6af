import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { FolderPage } from '@holdfast/protocol'
import { Button, SearchField } from '@holdfast/workspace'
import { queryOf, request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { DeleteFiles } from './delete-files.tsx'
import { FileDialog } from './file-dialog.tsx'
import { FolderList } from './folder-list.tsx'
import { FolderPath } from './folder-path.tsx'
import { UploadButton } from './upload-button.tsx'
import { UploadList } from './upload-list.tsx'
import { type BucketProps, folderKey } from './use-buckets.ts'
import { useUploads } from './use-uploads.ts'

const filesRoute = getRouteApi('/files')

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
      <FolderPath bucket={bucket.id} folder={folder} onOpen={(to) => open({ folder: to })} />
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
      <FolderList
        list={list}
        isSearched={settled !== ''}
        onOpen={open}
        selection={mayChange ? { chosen, onChoose: setChosen, onDelete: () => setDeleting(true) } : undefined}
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
