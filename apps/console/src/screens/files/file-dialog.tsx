import { useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { FileDetails, ListedBucket } from '@holdfast/protocol'
import { Button, copyText, Dialog, showToast } from '@holdfast/workspace'
import { Facts } from '../../components/facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { messageOf, queryOf, request } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { DeleteFiles } from './delete-files.tsx'
import { lastSegmentOf, publicUrlOf } from './file-names.ts'
import { FilePreviewArea } from './file-preview.tsx'
import { MoveFile } from './move-file.tsx'
import { ShareFile } from './share-file.tsx'

interface FileDialogProps {
  readonly bucket: ListedBucket
  readonly fileKey: string
  readonly publicUrl: string
  readonly onClose: () => void
  readonly onMoved: (key: string) => void
}

/** One file: its preview, what is known of it, and what can be done with it. */
export function FileDialog({ bucket, fileKey, publicUrl, onClose, onMoved }: FileDialogProps): JSX.Element {
  const mayRead = useHasRole('developer')
  const [asked, setAsked] = useState<'move' | 'share' | 'delete'>()
  const target = { bucket: bucket.id, key: fileKey }
  const details = useQuery({
    queryKey: ['files', 'file', bucket.id, fileKey],
    queryFn: ({ signal }) => request<FileDetails>(`GET /files/details${queryOf(target)}`, { signal }),
  })
  const download = useMutation({
    mutationFn: () => request<{ path: string }>('POST /files/download', { body: target }),
    onSuccess: ({ path }) => followDownload(path, lastSegmentOf(fileKey)),
    onError: (error) => showToast({ text: messageOf(error) }),
  })
  const close = (): void => setAsked(undefined)
  return (
    <>
      <Dialog
        title={lastSegmentOf(fileKey)}
        isOpen
        onClose={onClose}
        size="lg"
        actions={
          mayRead ? (
            <>
              <Button onPress={() => setAsked('delete')}>Delete…</Button>
              <Button onPress={() => setAsked('move')}>Rename or move…</Button>
              {bucket.isPublic ? (
                <Button onPress={() => void copyText(publicUrlOf(publicUrl, bucket.id, fileKey), 'Copied')}>
                  Copy public URL
                </Button>
              ) : null}
              <Button onPress={() => setAsked('share')}>Create link…</Button>
              <Button
                tone="primary"
                icon={<Download size={16} aria-hidden />}
                isPending={download.isPending}
                onPress={() => download.mutate()}
              >
                Download
              </Button>
            </>
          ) : undefined
        }
      >
        <QueryState query={details} rows={6}>
          {(file) => (
            <div className="flex flex-col gap-5">
              {mayRead ? <FilePreviewArea bucket={bucket.id} file={file} /> : null}
              <Facts facts={factsOf(file)} />
            </div>
          )}
        </QueryState>
      </Dialog>
      {asked === 'move' ? <MoveFile bucket={bucket.id} fileKey={fileKey} onClose={close} onMoved={onMoved} /> : null}
      {asked === 'share' ? <ShareFile bucket={bucket.id} fileKey={fileKey} onClose={close} /> : null}
      {asked === 'delete' ? <DeleteFiles bucket={bucket.id} keys={[fileKey]} onClose={close} onDone={onClose} /> : null}
    </>
  )
}

function factsOf(file: FileDetails): readonly (readonly [string, JSX.Element | string])[] {
  const { key, bytes, mimeType, updatedAt, createdAt, ownerId, cacheControl, eTag, userMetadata } = file
  return [
    ['Full name', key],
    ['Size', bytes === null ? 'unknown' : formatBytes(bytes)],
    ['Type', mimeType ?? 'unknown'],
    ['Changed', <TimeAgo key="changed" at={updatedAt} missing="–" />],
    ['Created', <TimeAgo key="created" at={createdAt} missing="–" />],
    ['Owner', ownerId ?? '–'],
    ['Cache control', cacheControl ?? '–'],
    ['ETag', eTag ?? '–'],
    ...(userMetadata ? ([['User metadata', JSON.stringify(userMetadata)]] as const) : []),
  ]
}

/** Lets the browser store a file without leaving the page. */
function followDownload(path: string, name: string): void {
  const link = document.createElement('a')
  link.href = path
  link.download = name
  link.click()
}
