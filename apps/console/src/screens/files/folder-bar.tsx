import { RefreshCw, Trash2 } from 'lucide-react'
import type { JSX } from 'react'
import { Button, SearchField, Switch } from '@holdfast/workspace'
import { UploadButton } from './upload-button.tsx'

/** Searches and reloads a folder; uploads into it and deletes it, for operators who may. */
export function FolderBar({
  search,
  onSearch,
  isLoading,
  onReload,
  changes,
}: {
  readonly search: string
  readonly onSearch: (search: string) => void
  readonly isLoading: boolean
  readonly onReload: () => void
  /** Missing for operators who see no contents. */
  readonly changes:
    | {
        readonly hasThumbnails: boolean
        readonly onThumbnails: (isOn: boolean) => void
        readonly onFiles: Parameters<typeof UploadButton>[0]['onFiles']
        /** Missing at the top of a bucket. */
        readonly onDelete: (() => void) | undefined
      }
    | undefined
}): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField label="Names that start with" value={search} onChange={onSearch} className="min-w-60 flex-1" />
      <Button icon={<RefreshCw size={16} aria-hidden />} isPending={isLoading} onPress={onReload}>
        Reload
      </Button>
      {changes ? (
        <>
          {changes.onDelete ? (
            <Button icon={<Trash2 size={16} aria-hidden />} onPress={changes.onDelete}>
              Delete folder…
            </Button>
          ) : null}
          <UploadButton onFiles={changes.onFiles} />
          <Switch isSelected={changes.hasThumbnails} onChange={changes.onThumbnails}>
            Thumbnails
          </Switch>
        </>
      ) : null}
    </div>
  )
}
