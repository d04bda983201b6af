import { useHasSynced, useSchema } from '@holdfast/react'
import { Link2, MoreHorizontal, Trash2 } from 'lucide-react'
import { type JSX, type ReactNode, useMemo, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { showToast } from '../../components/toast.tsx'
import { type Field, fieldsOf, type FieldValue } from '../../lib/fields/field.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { useRecordWriter } from '../../lib/records/record-writer.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { gridMessages } from '../../messages/grid.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { Comments, useCommentCount } from './comments.tsx'
import { DraftContent } from './draft-content.tsx'
import { LinkedRecords, useRelationCounts, useRelations } from './linked-records.tsx'
import type { RecordContentProps } from './record-content-props.ts'
import { RecordFields } from './record-fields.tsx'
import { RecordHeader } from './record-header.tsx'
import { RejectedBanner } from './rejected-banner.tsx'
import { useRecordState } from './use-record-state.ts'

/** A record: what it is, its fields, what links to it, what people say about it. In the panel and on a page of its own. */
export function RecordContent(props: RecordContentProps): JSX.Element {
  const { table, recordId } = props
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table.descriptor, schema])
  const record = useRecordState(table.name, recordId, fields)
  switch (record.kind) {
    case 'here':
      return <SavedRecord {...props} fields={fields} values={record.values} labels={record.labels} />
    case 'draft':
      return <DraftContent {...props} fields={fields} draft={record.draft} labels={record.labels} />
    case 'gone':
      return <GoneRecord {...props} />
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

/** Not on this device: not yet in the first sync, deleted, out of sight; or only a refused change is left of it. */
function GoneRecord(props: RecordContentProps): JSX.Element {
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
      {mark?.item ? <RejectedBanner mark={mark} fields={[]} workspace={props.workspace} /> : null}
      <EmptyState title={words.goneTitle}>{mark?.item ? words.goneWithChange : words.goneDetail}</EmptyState>
    </Frame>
  )
}

function SavedRecord({
  table,
  recordId,
  workspace,
  level,
  tab,
  onTab,
  actions,
  onOpenRecord,
  onGone,
  fields,
  values: storedValues,
  labels,
}: RecordContentProps & {
  readonly fields: readonly Field[]
  readonly values: RecordValues
  readonly labels: ReadonlyMap<string, FieldValue>
}): JSX.Element {
  const writer = useRecordWriter()
  const marks = useRecordMarks(table.name)
  const mark = marks?.get(recordId)
  const relations = useRelations(table.name)
  const counts = useRelationCounts(relations, recordId)
  const commentCount = useCommentCount(table.name, recordId)
  // A local write is shown at once; the database's own telling of it takes the place of this.
  const [written, setWritten] = useState<{ readonly over: RecordValues; readonly values: RecordValues }>()
  const values = written?.over === storedValues ? { ...storedValues, ...written.values } : storedValues
  const { can } = table.descriptor
  const title = titleOf(fields, values, labels, recordId)
  const state = fields.find(({ kind, name }) => kind === 'choice' && (name === 'state' || name === 'status'))
  const choice = state ? values[state.name] : undefined
  const number = fields.find(({ name, isTitle }) => !isTitle && (name === 'number' || name === 'code'))
  const many = table.label.toLowerCase()

  const commit = (field: Field, value: FieldValue): void => {
    const before = values[field.name] ?? null
    setWritten({
      over: storedValues,
      values: { ...(written?.over === storedValues ? written.values : {}), [field.name]: value },
    })
    void writer.write({
      label: words.changeOf(field.label, 1, table.noun, many),
      changes: [
        {
          kind: 'update',
          table: table.name,
          id: recordId,
          values: { [field.name]: value },
          before: { [field.name]: before },
        },
      ],
    })
  }
  const remove = async (): Promise<void> => {
    onGone()
    const whole = Object.fromEntries(Object.entries(storedValues).filter(([name]) => name !== 'id'))
    await writer.write({
      label: words.deletionOf(1, table.noun, many),
      changes: [{ kind: 'delete', table: table.name, id: recordId, values: whole }],
    })
    showToast({
      text: words.deleted(1, table.noun, many),
      action: { label: words.undo, run: () => void writer.undo() },
    })
  }
  const copyLink = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(`${location.origin}/w/${workspace}/t/${table.name}/r/${recordId}`)
      showToast({ text: words.copied })
    } catch {
      showToast({ text: gridMessages.clipboardDenied })
    }
  }

  const tabs = [
    {
      id: 'fields' as const,
      label: words.fields,
      content: (
        <div className="flex flex-col gap-4 px-4">
          {can.update ? null : <p className="text-small text-muted">{words.readOnly}</p>}
          <RecordFields
            fields={fields}
            values={values}
            labels={labels}
            mark={mark}
            problems={NO_PROBLEMS}
            canEdit={can.update}
            isDraft={false}
            onCommit={commit}
            onOpenLink={onOpenRecord}
          />
        </div>
      ),
    },
    {
      id: 'links' as const,
      label: words.linked,
      count: counts.reduce((sum, count) => sum + count, 0),
      content: (
        <div className="px-4">
          <LinkedRecords
            relations={relations}
            counts={counts}
            id={recordId}
            workspace={workspace}
            onOpen={onOpenRecord}
          />
        </div>
      ),
    },
    ...(commentCount === undefined
      ? []
      : [
          {
            id: 'comments' as const,
            label: words.comments,
            count: commentCount,
            content: (
              <div className="px-4">
                <Comments table={table.name} id={recordId} writer={writer} />
              </div>
            ),
          },
        ]),
  ]

  return (
    <>
      <RecordHeader
        level={level}
        overline={[table.label, number ? formatValue(number, values[number.name] ?? null) : '']
          .filter(Boolean)
          .join(' · ')}
        title={title}
        choice={typeof choice === 'string' ? choice : undefined}
        mark={mark}
        badge={marks === undefined ? <span /> : undefined}
        actions={
          <>
            {actions}
            <MenuTrigger>
              <IconButton label={words.more} icon={<MoreHorizontal size={18} aria-hidden />} />
              <Menu label={words.more}>
                <MenuItem icon={<Link2 size={16} aria-hidden />} onAction={() => void copyLink()}>
                  {words.copyLink}
                </MenuItem>
                {can.delete ? (
                  <MenuItem isDanger icon={<Trash2 size={16} aria-hidden />} onAction={() => void remove()}>
                    {words.delete(table.noun)}
                  </MenuItem>
                ) : null}
              </Menu>
            </MenuTrigger>
          </>
        }
      />
      {mark?.item ? (
        <div className="px-4 pt-3">
          <RejectedBanner mark={mark} fields={fields} workspace={workspace} />
        </div>
      ) : null}
      <Tabs
        label={words.tabs}
        tabs={tabs}
        selected={tabs.some(({ id }) => id === tab) ? tab : 'fields'}
        onSelect={onTab}
      />
    </>
  )
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map()

function titleOf(
  fields: readonly Field[],
  values: RecordValues,
  labels: ReadonlyMap<string, FieldValue>,
  id: string,
): string {
  const field = fields.find(({ isTitle }) => isTitle)
  const text = field ? formatValue(field, values[field.name] ?? null, labels.get(field.name)) : ''
  return text === '' ? id.slice(0, 8) : text
}
