import type { RejectedChange } from '@holdfast/client'
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { lateDetail } from '../../components/late-content.tsx'
import { buttonClass } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import type { Field } from '../../lib/fields/field.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { useTakenWords } from '../../lib/records/use-taken-by.ts'
import { verdictWords } from '../../lib/records/verdict-words.ts'
import { recordMessages as words } from '../../messages/record.ts'

/** Loaded on demand because conflicts are rare. */
const { Content: TextsInConflict } = lateDetail(async () => (await import('./texts-in-conflict.tsx')).TextsInConflict)

/** Banner on a record with a rejected change: its reason, and a link to decide about it. */
export function RejectedBanner({
  mark,
  fields,
  workspace,
}: {
  readonly mark: RecordMark
  readonly fields: readonly Field[]
  readonly workspace: string
}): JSX.Element | null {
  return mark.item ? <Banner {...{ mark, fields, workspace }} item={mark.item} /> : null
}

function Banner({
  mark,
  item,
  fields,
  workspace,
}: Parameters<typeof RejectedBanner>[0] & { readonly item: RejectedChange }): JSX.Element {
  const taken = useTakenWords(item)
  const label = (name: string): string => fields.find((field) => field.name === name)?.label ?? name
  const { title, advice } = verdictWords(item.verdict, label)
  const changed = [...mark.fields].filter(([, state]) => state === mark.state).map(([name]) => label(name))
  const isConflict = item.verdict.status === 'conflict' && mark.state !== 'held'
  return (
    <Notice
      tone={mark.state === 'held' || isConflict ? 'warning' : 'danger'}
      role="alert"
      title={mark.state === 'held' ? words.heldTitle : isConflict ? title : words.rejectedTitle}
      actions={
        <Link
          to="/w/$ws/sync/$item"
          params={{ ws: workspace, item: item.id }}
          className={`${buttonClass({ tone: 'secondary', size: 'sm' })} no-underline`}
        >
          {words.decide}
        </Link>
      }
    >
      {isConflict ? null : <p>{taken ?? title}</p>}
      {/^[\w.]+$/.test(advice) ? null : <p>{advice}</p>}
      {changed.length === 0 ? null : <p>{words.yourFields(changed.join(', '))}</p>}
      {isConflict ? <TextsInConflict change={item} fields={fields} /> : null}
    </Notice>
  )
}
