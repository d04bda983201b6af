import { useHasSynced, useLocalDatabase, useRecords } from '@holdfast/react'
import type { JSX, ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import { useToday } from '../../hooks/use-today.ts'
import { storeOrTell } from '../../lib/data/unstored.ts'
import type { Field } from '../../lib/fields/field.ts'
import { useFields } from '../../lib/fields/use-fields.ts'
import { commentDraftId, DRAFT_SQL, type DraftRow, removeDraft, toDraft } from '../../lib/records/drafts.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { DraftContent } from './draft-content.tsx'
import type { RecordContentProps } from './record-content-props.ts'
import { RecordHeader } from './record-header.tsx'
import { RejectedBanner } from './rejected-banner.tsx'
import { SavedRecord } from './saved-record.tsx'
import { useRecordState } from './use-record-state.ts'

/** A record with its fields, linking records and comments, in the panel or on its own page. */
export function RecordContent(props: RecordContentProps): JSX.Element {
  const { table, recordId } = props
  const fields = useFields(table.descriptor, useToday())
  const record = useRecordState(table.name, recordId, fields)
  switch (record.kind) {
    case 'here':
      return <SavedRecord {...props} fields={fields} values={record.values} labels={record.labels} />
    case 'draft':
      return <DraftContent {...props} fields={fields} draft={record.draft} labels={record.labels} />
    case 'gone':
      return <GoneRecord {...props} fields={fields} />
    case 'failed':
      return (
        <Frame {...props}>
          <ErrorNotice error={record.error} />
        </Frame>
      )
    case 'loading':
      return <Frame {...props}>{null}</Frame>
    default:
      return record satisfies never
  }
}

function Frame({
  table,
  level,
  actions,
  children,
}: RecordContentProps & { readonly children: ReactNode }): JSX.Element {
  return (
    <>
      <RecordHeader
        level={level}
        overline={table.label}
        title={table.noun}
        choice={undefined}
        mark={undefined}
        badge={<span />}
        actions={actions}
      />
      <div className="p-4">{children}</div>
    </>
  )
}

/** Shown for a record that is not on this device: not synced yet, deleted, not visible, or only left in a rejected change. */
function GoneRecord({ fields, ...props }: RecordContentProps & { readonly fields: readonly Field[] }): JSX.Element {
  const hasSynced = useHasSynced()
  const mark = useRecordMarks(props.table.name)?.get(props.recordId)
  if (!hasSynced) {
    return (
      <Frame {...props}>
        <FirstRowsNote rows={8} />
      </Frame>
    )
  }
  return (
    <Frame {...props}>
      {mark?.item ? <RejectedBanner mark={mark} fields={fields} workspace={props.workspace} /> : null}
      <UnsentComment table={props.table.name} id={props.recordId} />
      <EmptyState title={words.goneTitle}>{mark?.item ? words.goneWithChange : words.goneDetail}</EmptyState>
    </Frame>
  )
}

/** Offers the unsent comment on a record that is gone, which exists nowhere else. */
function UnsentComment({ table, id }: { readonly table: string; readonly id: string }): JSX.Element | null {
  const { database } = useLocalDatabase()
  const draftId = commentDraftId(table, id)
  const [row] = useRecords<DraftRow>(DRAFT_SQL, [draftId]).rows
  if (!row) return null
  const text = String(toDraft(row).values['body'] ?? '')
  const discard = (): void => void storeOrTell(words.discardDraft, () => removeDraft(database, draftId))
  return (
    <Notice
      tone="warning"
      title={words.commentUnsent}
      actions={
        <>
          <Button size="sm" onPress={() => void copyText(text, words.copied)}>
            {fieldMessages.copy}
          </Button>
          <Button size="sm" tone="quiet" onPress={discard}>
            {words.discardDraft}
          </Button>
        </>
      }
    >
      <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
    </Notice>
  )
}
