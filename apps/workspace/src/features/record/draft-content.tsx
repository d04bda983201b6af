import { useLocalDatabase } from '@holdfast/react'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { type Draft, missingFields, removeDraft, saveDraft } from '../../lib/records/drafts.ts'
import { useRecordWriter } from '../../lib/records/record-writer.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { recordMessages as words } from '../../messages/record.ts'
import type { RecordContentProps } from './record-content-props.ts'
import { RecordFields } from './record-fields.tsx'
import { RecordHeader } from './record-header.tsx'

/**
 * A record that still needs values before the database can take it. It is kept on this device as it is filled in, and
 * becomes a record with one press.
 */
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
  const { database } = useLocalDatabase()
  const writer = useRecordWriter()
  const [isAsked, setAsked] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  // Each save has all values so far, also those that the local database has not told of yet. One mount is one draft.
  const latest = useRef(draft)
  const missing = missingFields(fields, draft.values)
  const problems = new Map(isAsked ? missing.map(({ name, label }) => [name, fieldMessages.required(label)]) : [])

  const commit = (field: Field, value: FieldValue): void => {
    latest.current = { ...latest.current, values: { ...latest.current.values, [field.name]: value } }
    void saveDraft(database, latest.current)
  }
  const create = async (): Promise<void> => {
    await writer.write({
      label: words.newOf(table.noun),
      changes: [{ kind: 'insert', table: table.name, id: draft.id, values: latest.current.values }],
    })
    await removeDraft(database, draft.id)
  }
  const tryCreate = (): void => {
    const [first] = missingFields(fields, latest.current.values)
    if (!first) {
      void create()
      return
    }
    setAsked(true)
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
          values={draft.values}
          labels={labels}
          mark={undefined}
          problems={problems}
          canEdit
          isDraft
          onCommit={commit}
          onOpenLink={onOpenRecord}
        />
      </div>
      <footer className="flex flex-wrap items-center gap-2 border-t border-border px-4 py-3">
        <Button tone="primary" onPress={tryCreate}>
          {words.create(table.noun)}
        </Button>
        {isAsked && missing.length > 0 ? <Button onPress={() => void create()}>{words.createAnyway}</Button> : null}
        <Button
          tone="quiet"
          onPress={() => {
            onGone()
            void removeDraft(database, draft.id)
          }}
        >
          {words.discardDraft}
        </Button>
        {isAsked && missing.length > 0 ? (
          <p className="w-full text-small text-muted">{words.missing(missing.map(({ label }) => label).join(', '))}</p>
        ) : null}
      </footer>
    </>
  )
}
