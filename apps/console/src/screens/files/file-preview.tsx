import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { FileDetails, FilePreview } from '@holdfast/protocol'
import { buttonClass, Notice } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { ConsoleError, request } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { lastSegmentOf, previewKindOf } from './file-names.ts'

/** Bytes of a text that are loaded. */
const TEXT_BYTES_MAX = 64 * 1024

/** Size in bytes up to which an image is loaded whole, where the server renders no smaller one. */
const IMAGE_BYTES_MAX = 10_000_000

/** A file as far as it can be shown without running anything in it: images as images, HTML and SVG as text. */
export function FilePreviewArea({
  bucket,
  file,
}: {
  readonly bucket: string
  readonly file: FileDetails
}): JSX.Element {
  const kind = previewKindOf(file.mimeType)
  const links = useQuery({
    queryKey: ['files', 'preview', bucket, file.key, file.updatedAt],
    queryFn: ({ signal }) => request<FilePreview>('POST /files/preview', { body: { bucket, key: file.key }, signal }),
    // Each load is an entry of the audit log.
    staleTime: 240_000,
    enabled: kind !== 'none',
  })
  if (kind === 'none') return <p className="text-muted">There is no preview of this type.</p>
  return (
    <QueryState query={links}>
      {(preview) =>
        kind === 'image' ? (
          <Picture preview={preview} file={file} />
        ) : kind === 'text' ? (
          <Text path={preview.path} file={file} />
        ) : (
          <a href={preview.path} target="_blank" rel="noreferrer" className={buttonClass({ className: 'self-start' })}>
            <ExternalLink size={16} aria-hidden />
            Open the PDF in a new tab
          </a>
        )
      }
    </QueryState>
  )
}

function Picture({ preview, file }: { readonly preview: FilePreview; readonly file: FileDetails }): JSX.Element {
  const [isBroken, setBroken] = useState(false)
  const isLarge = preview.thumbnailPath === undefined && (file.bytes ?? 0) > IMAGE_BYTES_MAX
  if (isBroken) return <Notice title="The image cannot be drawn">Its bytes may not be those of its type.</Notice>
  if (isLarge) return <p className="text-muted">The image is too large for a preview. Download it.</p>
  return (
    <img
      src={preview.thumbnailPath ?? preview.path}
      alt={`Preview of ${lastSegmentOf(file.key)}`}
      className="max-h-96 max-w-full self-start rounded-md border border-border bg-sunken object-contain"
      onError={() => setBroken(true)}
    />
  )
}

function Text({ path, file }: { readonly path: string; readonly file: FileDetails }): JSX.Element {
  const text = useQuery({
    queryKey: ['files', 'text', path],
    queryFn: ({ signal }) => (file.bytes === 0 ? '' : readText(path, signal)),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <QueryState query={text}>
      {(content) => (
        <div className="flex flex-col gap-2">
          <TextBlock label={`Content of ${lastSegmentOf(file.key)}`}>{content}</TextBlock>
          {(file.bytes ?? 0) > TEXT_BYTES_MAX ? (
            <p className="text-small text-muted">
              The first {formatBytes(TEXT_BYTES_MAX)} of {formatBytes(file.bytes ?? 0)}.
            </p>
          ) : null}
        </div>
      )}
    </QueryState>
  )
}

async function readText(path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(path, { headers: { range: `bytes=0-${TEXT_BYTES_MAX - 1}` }, signal })
  if (!response.ok) throw new ConsoleError('preview_failed', response.status, 'The file cannot be read.')
  return new TextDecoder().decode(await response.arrayBuffer())
}
