import { type JSX, type ReactNode, useState } from 'react'
import { lateContent, lazyAfterPaint } from '../../components/late-content.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useChecklists } from '../../lib/checklists/use-checklists.ts'
import { commonRefusal, refusalWords } from '../../lib/records/refusal-words.ts'
import { useUnreadComments } from '../../lib/records/unread-comments.ts'
import { usePlaceTopics } from '../../lib/presence/topics.ts'
import { checklistMessages } from '../../messages/checklist.ts'
import { historyMessages } from '../../messages/history.ts'
import { mentionMessages } from '../../messages/mentions.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { rightMessages } from '../../messages/rights.ts'
import { Comments, useCommentCount } from './comments.tsx'
import type { EditorsOfFields } from './field-editors.tsx'
import { LinkedRecords, useRelationCounts, useRelations } from './linked-records.tsx'
import { PhotosSection } from './photos-section.tsx'
import { RecordFields } from './record-fields.tsx'
import type { RecordTabsProps } from './record-tabs-props.ts'

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map()
const NO_EDITORS: EditorsOfFields = new Map()

/** Loaded on demand because few users open it. */
const { Content: HistoryTab } = lateContent(async () => (await import('./history-tab.tsx')).HistoryTab)

const { Content: AnswersTab } = lateContent(async () => (await import('./checklist/answers-tab.tsx')).AnswersTab)

const FieldEditors = lazyAfterPaint(async () => (await import('./field-editors.tsx')).FieldEditors)

/** A record's fields, linking records and, if the table has them, comments. */
export function RecordTabs(props: RecordTabsProps): JSX.Element {
  const { table, recordId, workspace, tab } = props
  const relations = useRelations(table.name)
  const counts = useRelationCounts(relations, recordId)
  const commentCount = useCommentCount(table.name, recordId)
  const unread = useUnreadComments(table.name).get(recordId)
  const answers = useAnswersTab(props)
  const isPage = props.level === 'h1'
  const linkCount = counts.reduce((sum, count) => sum + count, 0)
  const links = (
    <LinkedRecords
      relations={relations}
      counts={counts}
      id={recordId}
      workspace={workspace}
      onOpen={props.onOpenRecord}
    />
  )
  const fields = <Fields {...props}>{isPage && relations.length > 0 ? links : null}</Fields>
  const tabs = [
    { id: 'fields' as const, label: words.fields, content: fields },
    ...(answers ? [answers] : []),
    // A page has room for them below the fields.
    ...(isPage
      ? []
      : [
          { id: 'links' as const, label: words.linked, count: linkCount, content: <div className="px-4">{links}</div> },
        ]),
    ...(commentCount === undefined
      ? []
      : [
          {
            id: 'comments' as const,
            label: words.comments,
            count: commentCount,
            note: unread && mentionMessages.unreadCount(unread.count),
            content: (
              <div className="px-4">
                <Comments table={table.name} id={recordId} writer={props.writer} />
              </div>
            ),
          },
        ]),
    ...(table.descriptor.history
      ? [
          {
            id: 'history' as const,
            label: historyMessages.title,
            content: <HistoryTab {...props} />,
          },
        ]
      : []),
  ]
  return (
    <Tabs
      label={words.tabs}
      isFlush
      tabs={tabs}
      selected={tabs.some(({ id }) => id === tab) ? tab : 'fields'}
      onSelect={props.onTab}
    />
  )
}

/** Returns the tab with the answers of the record's checklist, once one was chosen for it. */
function useAnswersTab({ table, recordId, values }: RecordTabsProps): TabOf<'checklist'> | undefined {
  const checklist = useChecklists()?.find((one) => one.table === table.name)
  if (!checklist || (values[checklist.template] ?? null) === null) return undefined
  return {
    id: 'checklist',
    label: checklistMessages.answersTitle,
    content: <AnswersTab key={recordId} {...{ checklist, recordId }} />,
  }
}

interface TabOf<Id> {
  readonly id: Id
  readonly label: string
  readonly content: ReactNode
}

function Fields({
  table,
  recordId,
  fields,
  values,
  labels,
  mark,
  rights,
  onCommit,
  onOpenRecord,
  children,
}: RecordTabsProps & {
  /** Rendered between the main fields and the system fields. */
  readonly children: ReactNode
}): JSX.Element {
  const { update: canUpdate } = table.descriptor.can
  const common = canUpdate && !rights.readOnly ? commonRefusal(rights) : undefined
  const topic = usePlaceTopics().record(table.name, recordId)
  const [field, setField] = useState<string>()
  const [editors, setEditors] = useState(NO_EDITORS)
  return (
    <div className="flex flex-col gap-4 px-4">
      <FieldEditors topic={topic} field={field} onChange={setEditors} />
      <PhotosSection table={table.name} recordId={recordId} />
      {canUpdate ? null : <p className="text-small text-muted">{words.readOnly}</p>}
      {canUpdate && rights.readOnly ? (
        <p className="text-small text-muted" role="status">
          {rightMessages.readOnly(table.noun)} {refusalWords(rights.readOnly)}
        </p>
      ) : rights.seemsReadOnly ? (
        <p className="min-h-4 text-small" />
      ) : common === undefined ? null : (
        <p className="text-small text-muted" role="status">
          {rightMessages.partlyReadOnly} {common}
        </p>
      )}
      <RecordFields
        record={{ table: table.name, id: recordId }}
        fields={fields}
        layout={table.layout}
        values={values}
        labels={labels}
        mark={mark}
        problems={NO_PROBLEMS}
        canEdit={canUpdate && !rights.readOnly && !rights.seemsReadOnly}
        rights={rights}
        refusalSaid={common}
        isDraft={false}
        table={table.name}
        recordId={recordId}
        editors={editors}
        onEdit={setField}
        onCommit={onCommit}
        onOpenLink={onOpenRecord}
      >
        {children}
      </RecordFields>
    </div>
  )
}
