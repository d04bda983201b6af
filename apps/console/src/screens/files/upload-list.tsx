import { X } from 'lucide-react'
import type { JSX } from 'react'
import { Button, IconButton, Row, Rows } from '@holdfast/workspace'
import { formatBytes } from '../../lib/format.ts'
import { lastSegmentOf } from './file-names.ts'
import type { Upload, Uploads } from './use-uploads.ts'

/** The uploads of this visit, with their progress. */
export function UploadList({ uploads }: { readonly uploads: Uploads }): JSX.Element | null {
  if (uploads.uploads.length === 0) return null
  const isOver = uploads.uploads.every(({ state }) => state !== 'waiting' && state !== 'sending')
  return (
    <div className="flex flex-col gap-2">
      <Rows label="Uploads">
        {uploads.uploads.map((upload) => {
          const name = lastSegmentOf(upload.key)
          return (
            <Row
              key={upload.id}
              title={name}
              actions={
                <>
                  {upload.state === 'exists' ? (
                    <Button size="sm" aria-label={`Replace ${name}`} onPress={() => uploads.replace(upload)}>
                      Replace
                    </Button>
                  ) : null}
                  <IconButton
                    size="sm"
                    label={upload.state === 'sending' ? `Cancel ${name}` : `Remove ${name} from the list`}
                    icon={<X size={16} aria-hidden />}
                    onPress={() => uploads.remove(upload)}
                  />
                </>
              }
              below={
                upload.state === 'sending' ? (
                  <progress aria-label={`Upload of ${name}`} value={upload.sent} max={1} className="h-1.5 w-full" />
                ) : undefined
              }
            >
              <span role="status" className={upload.state === 'failed' ? 'text-danger' : ''}>
                {stateOf(upload)}
              </span>
            </Row>
          )
        })}
      </Rows>
      {isOver ? (
        <Button size="sm" className="self-start" onPress={() => uploads.clear()}>
          Clear list
        </Button>
      ) : null}
    </div>
  )
}

function stateOf({ state, sent, file, error }: Upload): string {
  if (state === 'sending') return `${Math.floor(sent * 100)}% of ${formatBytes(file.size)}`
  if (state === 'failed') return error ?? 'Failed'
  if (state === 'exists') return 'There is a file of this name.'
  return state === 'done' ? `Uploaded, ${formatBytes(file.size)}` : 'Waiting'
}
