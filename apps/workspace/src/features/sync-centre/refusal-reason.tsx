import type { RejectedChange } from '@holdfast/client'
import type { JSX } from 'react'
import { saysTheSame, verdictWords } from '../../lib/records/verdict-words.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { asSentence } from './as-sentence.ts'

/** Explains a rejection and what to do. Adds the server's message if it differs, because a project's own rules explain themselves. */
export function RefusalReason({
  verdict,
  taken,
}: Pick<RejectedChange, 'verdict'> & {
  /** Which record has the value already. */
  readonly taken?: string | undefined
}): JSX.Element {
  const { title: said, advice } = verdictWords(verdict)
  const title = taken ?? said
  return (
    <dl className="grid gap-x-4 gap-y-1.5 tablet:grid-cols-[auto_1fr]">
      <dt className="text-muted">{words.plainWords}</dt>
      <dd className="[overflow-wrap:anywhere]">
        <span className="font-medium">{asSentence(title)}</span> {asSentence(advice)}
      </dd>
      {saysTheSame(title, verdict.message) ? null : (
        <>
          <dt className="text-muted">{words.serverSaid}</dt>
          <dd className="font-mono text-mono [overflow-wrap:anywhere]">{verdict.message}</dd>
        </>
      )}
    </dl>
  )
}
