import type { JSX } from 'react'
import type { FunctionCallOutcome } from '@holdfast/protocol'
import { Chip, Notice } from '@holdfast/workspace'
import { TextBlock } from '../../components/text-block.tsx'
import { formatBytes, formatMs } from '../../lib/format.ts'

/** Characters of a response that the page shows. */
const SHOWN_CHARS_MAX = 100_000

/** The response of a function, always as text. */
export function CallOutcome({ outcome }: { readonly outcome: FunctionCallOutcome }): JSX.Element {
  if (outcome.kind === 'failed')
    return (
      <Notice tone="danger" role="alert" title={`No response after ${formatMs(outcome.ms)}`}>
        {outcome.message}
      </Notice>
    )
  const { status, ms, headers, body, isCut } = outcome
  const text = prettyOf(body, headers)
  return (
    <section aria-label="Response" className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2" role="status">
        <Chip colour={status < 400 ? 'green' : status < 500 ? 'amber' : 'coral'}>{String(status)}</Chip>
        <span className="text-muted">
          {formatMs(ms)}, {formatBytes(new Blob([body]).size)}
          {isCut ? ', cut at 1 MiB' : ''}
        </span>
      </p>
      <details className="text-small">
        <summary className="cursor-pointer text-muted">{headers.length} headers</summary>
        <dl className="mt-2 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-mono">
          {headers.map(({ name, value }) => (
            <div key={name} className="flex gap-2 [overflow-wrap:anywhere]">
              <dt className="shrink-0 text-muted">{name}:</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {text === '' ? (
        <p className="text-muted">The response has no body.</p>
      ) : (
        <TextBlock label="Response body">
          {text.slice(0, SHOWN_CHARS_MAX) + (text.length > SHOWN_CHARS_MAX ? '\n…' : '')}
        </TextBlock>
      )}
    </section>
  )
}

/** Indents JSON; returns other text as it is. */
function prettyOf(body: string, headers: readonly { readonly name: string; readonly value: string }[]): string {
  const type = headers.find(({ name }) => name === 'content-type')?.value ?? ''
  if (!/^application\/(.+\+)?json\b/.test(type)) return body
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
