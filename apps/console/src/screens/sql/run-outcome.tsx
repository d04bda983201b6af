import type { JSX } from 'react'
import type { SqlOutcome } from '@holdfast/protocol'
import { Button, Notice } from '@holdfast/workspace'
import { TextBlock } from '../../components/text-block.tsx'
import { messageOf } from '../../lib/api.ts'
import { ResultTable } from './result-table.tsx'

/** A run that got no result. */
export function RunError({ error }: { readonly error: unknown }): JSX.Element {
  const isCancelled = error instanceof DOMException && error.name === 'AbortError'
  return isCancelled ? (
    <Notice title="Cancelled" role="status" />
  ) : (
    <Notice tone="danger" role="alert" title={messageOf(error)} />
  )
}

/** The results of a run, its notices and its error. */
export function RunOutcome({
  outcome: { results, notices, error, ms },
  onPlace,
}: {
  readonly outcome: SqlOutcome
  readonly onPlace: (position: number) => void
}): JSX.Element {
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-small text-muted tabular-nums">
        {error ? `Failed after ${ms} ms` : `Done in ${ms} ms`}
      </p>
      {notices.length === 0 ? null : (
        <TextBlock label="Notices" className="max-h-40 text-muted">
          {notices.join('\n')}
        </TextBlock>
      )}
      {results.map((result, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- statements have a place only
        <ResultTable key={at} result={result} place={at + 1} />
      ))}
      {error ? (
        <Notice
          tone="danger"
          role="alert"
          title={error.message}
          actions={
            error.position === undefined ? undefined : (
              <Button size="sm" onPress={() => onPlace(error.position ?? 1)}>
                Show the place
              </Button>
            )
          }
        >
          {[error.detail, error.hint, error.code && `SQLSTATE ${error.code}`].filter(Boolean).join(' · ')}
        </Notice>
      ) : null}
    </div>
  )
}
