import { useNavigate } from '@tanstack/react-router'
import { useJudgements, useLocalDatabase } from '@holdfast/react'
import { type JSX, useEffect, useMemo, useState } from 'react'
import { lateDetail, lateLayer } from '../../components/late-content.tsx'
import { LatePeopleHere } from '../../components/presence/late-people-here.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { type Field, type FieldValue, isOfFiles } from '../../lib/fields/field.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { type RecordRights, toRights, UNKNOWN_RIGHTS, writesOf } from '../../lib/records/record-rights.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { useLastKnown } from '../../lib/use-last-known.ts'
import { recallRight, rememberRight } from '../../lib/records/remembered-rights.ts'
import { usePlaceTopics } from '../../lib/presence/topics.ts'
import { useMayArrange } from './arrange/use-may-arrange.ts'
import { FavouriteButton } from './favourite-button.tsx'
import type { RecordContentProps } from './record-content-props.ts'
import { recordFacts } from './record-facts.ts'
import { RecordHeader } from './record-header.tsx'
import { RecordMenu } from './record-menu.tsx'
import { RecordTabs } from './record-tabs.tsx'
import { RejectedBanner } from './rejected-banner.tsx'
import { useMayShare } from './share/shares.ts'
import { useRecordEdits } from './use-record-edits.ts'

const { Content: ChecklistLink } = lateDetail(
  async () => (await import('./checklist/checklist-link.tsx')).ChecklistLink,
)

/** Loaded on demand because few users open it. */
const { Content: ArrangeDialog } = lateLayer(async () => (await import('./arrange/arrange-dialog.tsx')).ArrangeDialog)
const { Content: ShareDialog } = lateLayer(async () => (await import('./share/share-dialog.tsx')).ShareDialog)

/** A record that is on this device. */
export function SavedRecord(
  props: RecordContentProps & {
    readonly fields: readonly Field[]
    readonly values: RecordValues
    readonly labels: ReadonlyMap<string, FieldValue>
  },
): JSX.Element {
  const { table, recordId, workspace, fields, labels } = props
  const writer = useRecordWriter()
  const toPrint = useToPrint(workspace, table.name, recordId)
  const marks = useRecordMarks(table.name)
  const mark = marks?.get(recordId)
  const topics = usePlaceTopics()
  const edits = useRecordEdits(table, recordId, props.values, writer)
  const rights = useRecordRights(table, recordId, fields, edits.values)
  const { title, choice, number } = recordFacts(fields, edits.values, labels, recordId)
  const mayArrange = useMayArrange(table)
  const mayShare = useMayShare(table)
  const [asking, setAsking] = useState<'arrange' | 'share'>()
  const remove = (): void => {
    props.onGone()
    void edits.remove()
  }
  return (
    <>
      <RecordHeader
        level={props.level}
        overline={[table.label, number].filter(Boolean).join(' · ')}
        title={title}
        choice={choice}
        mark={mark}
        badge={marks === undefined ? <span /> : undefined}
        actions={
          <>
            {/* On a full-screen record this is in the top bar. */}
            {props.level === 'h2' ? <LatePeopleHere topic={topics.record(table.name, recordId)} /> : null}
            {props.actions}
            <FavouriteButton table={table.name} id={recordId} writer={writer} />
            <RecordMenu
              noun={table.noun}
              path={`/w/${workspace}/t/${table.name}/r/${recordId}`}
              onPrint={toPrint}
              onShare={mayShare ? () => setAsking('share') : undefined}
              onArrange={mayArrange ? () => setAsking('arrange') : undefined}
              onDelete={table.descriptor.can.delete && rights.isDeletable ? remove : undefined}
            />
          </>
        }
      />
      {mark?.item ? (
        <div className="px-4 pt-3">
          <RejectedBanner mark={mark} fields={fields} workspace={workspace} />
        </div>
      ) : null}
      <ChecklistLink {...{ workspace, recordId }} table={table.name} />
      <RecordTabs
        {...props}
        rights={rights}
        values={edits.values}
        mark={mark}
        writer={writer}
        onCommit={edits.commit}
      />
      {asking === 'arrange' ? (
        <ArrangeDialog {...{ table, fields, writer }} onClose={() => setAsking(undefined)} />
      ) : asking === 'share' ? (
        <ShareDialog
          {...{ table, recordId, title, workspace, writer }}
          mayChange={rights.isKnown && rights.readOnly === undefined}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </>
  )
}

/** Returns a function that opens the record as a document. */
function useToPrint(ws: string, table: string, record: string): () => void {
  const navigate = useNavigate()
  return () => void navigate({ to: '/w/$ws/t/$table/print', params: { ws, table }, search: { record } })
}

/** Returns what policies allow this user to do with a record. Evaluates nothing if the role cannot write the table. */
function useRecordRights(
  table: TableInfo,
  recordId: string,
  fields: readonly Field[],
  values: RecordValues,
): RecordRights {
  const { can } = table.descriptor
  const asked = useMemo(
    () => (can.update ? fields.filter((field) => field.isEditable || isOfFiles(field.format)) : []),
    [can.update, fields],
  )
  const writes = useMemo(() => writesOf(table, recordId, asked, values), [table, recordId, asked, values])
  const judgements = useJudgements(writes)
  const found = useMemo(() => judgements && toRights(asked, judgements), [asked, judgements])
  const known = useLastKnown(found, `${table.name}/${recordId}`)
  const { userId } = useLocalDatabase()
  const right = `update/${table.name}`
  const mayChange = known && known.readOnly === undefined
  // Memory is outside React.
  useEffect(() => {
    if (mayChange !== undefined) rememberRight(userId, right, mayChange)
  }, [userId, right, mayChange])
  return known ?? { ...UNKNOWN_RIGHTS, seemsReadOnly: recallRight(userId, right) === false }
}
