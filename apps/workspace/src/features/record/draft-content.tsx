import { type JSX, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { Draft } from '../../lib/records/drafts.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { recordMessages as words } from '../../messages/record.ts'
import type { RecordContentProps } from './record-content-props.ts'
import { RecordFields } from './record-fields.tsx'
import { RecordHeader } from './record-header.tsx'
import { type DraftForm, useDraft } from './use-draft.ts'

/** A record that lacks required values. Its input is kept on this device until the user creates the record. */
export function DraftContent({
  table,
  fields,
  draft,
  labels,
  level,
  actions,
  onOpenRecord,
  onGone,
}: RecordContentProps & {
  readonly fields: readonly Field[]
  readonly draft: Draft
  readonly labels: ReadonlyMap<string, FieldValue>
}): JSX.Element {
  const body = useRef<HTMLDivElement>(null)
  const form = useDraft(table, fields, draft)
  const { missing, refusal } = form
  const create = (): void => {
    const [first] = form.create()
    if (!first) return
    body.current
      ?.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.name)}"] :is(input, textarea, button)`)
      ?.focus()
  }
  return (
    <>
      <RecordHeader
        level={level}
        overline={table.label}
        title={words.newTitle(table.noun)}
        choice={undefined}
        mark={undefined}
        badge={
          <span className="rounded-full bg-info-soft px-2 py-0.5 text-small font-medium text-info">{words.draft}</span>
        }
        actions={actions}
      />
      <div ref={body} className="min-h-0 flex-1 overflow-auto px-4 py-4">
        <p className="pb-4 text-small text-muted">{words.draftLead(table.noun)}</p>
        <RecordFields
          fields={fields}
          layout={table.layout}
          values={draft.values}
          labels={labels}
          mark={undefined}
          problems={problemsOf(form)}
          canEdit
          isDraft
          table={table.name}
          recordId={draft.id}
          onCommit={form.commit}
          onOpenLink={onOpenRecord}
        />
      </div>
      <footer className="flex flex-wrap items-center gap-2 border-t border-border px-4 py-3">
        <Button tone="primary" onPress={create}>
          {words.create(table.noun)}
        </Button>
        {missing.length > 0 ? <Button onPress={form.createAnyway}>{words.createAnyway}</Button> : null}
        <Button
          tone="quiet"
          onPress={() => {
            onGone()
            form.discard()
          }}
        >
          {words.discardDraft}
        </Button>
        {refusal ? (
          <p role="alert" className="w-full text-small text-danger">
            {fieldMessages.notSaved(refusal.words)}
          </p>
        ) : null}
        {missing.length > 0 ? (
          <p className="w-full text-small text-muted">{words.missing(missing.map(({ label }) => label).join(', '))}</p>
        ) : null}
      </footer>
    </>
  )
}

/** Returns a draft's problems by field. */
function problemsOf({ missing, refusal }: DraftForm): ReadonlyMap<string, string> {
  return new Map([
    ...(refusal?.columns.map((name) => [name, refusal.words] as const) ?? []),
    ...missing.map(({ name, label }) => [name, fieldMessages.required(label)] as const),
  ])
}
