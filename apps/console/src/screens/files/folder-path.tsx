import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { foldersTo, lastSegmentOf } from './file-names.ts'

/** The folders to the open one, as links. */
export function FolderPath({
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
