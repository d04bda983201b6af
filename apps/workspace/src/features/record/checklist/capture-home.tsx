import { useHasSynced, useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { Trash2 } from 'lucide-react'
import { type JSX, useCallback, useMemo } from 'react'
import { ChoiceChip } from '../../../components/fields/choice-chip.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { TableStarts } from '../../../components/records/table-starts.tsx'
import { LinkButton } from '../../../components/link.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Page } from '../../../components/page.tsx'
import { FirstRowsNote } from '../../../components/records/first-rows-note.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { useRowsInSteps } from '../../../hooks/use-rows-in-steps.ts'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import { type AnyDraftRow, type DraftPlace, draftPlaceOf, draftsSql } from '../../../lib/checklists/run-draft.ts'
import { NONE_GIVEN } from '../../../lib/data/column-words.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import { shortId } from '../../../lib/data/use-record-title.ts'
import { useTables } from '../../../lib/data/use-tables.tsx'
import { formatDay } from '../../../lib/fields/dates.ts'
import { formatAgo } from '../../../lib/format.ts'
import { pageLocale } from '../../../lib/language.ts'
import { removeDraft } from '../../../lib/records/drafts.ts'
import { useMayAdd } from '../../../lib/records/use-may-add.ts'
import { openWorkSql, workTablesOf } from '../../../lib/records/work-tables.ts'
import { canChange, useWorkspace } from '../../../lib/records/use-workspace.ts'
import { quoteName } from '../../../lib/sql.ts'
import { type SavedView, useKnownViews } from '../../../lib/views/use-views.ts'
import { builderMessages } from '../../../messages/checklist-builder.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { workMessages } from '../../../messages/work.ts'
import { Line, Section } from './capture-lines.tsx'

/** Lines shown at first, and added with each press on *Show more*. */
const WORK_STEP = 12
const TEMPLATE_STEP = 100
const DRAFT_STEP = 50

/**
 * Lists what the user can capture: unfinished work, their own open work, templates and forms.
 *
 * @param only - limits the list to one table
 */
export function CaptureHome({
  workspace,
  checklists,
  only,
}: {
  readonly workspace: string
  readonly checklists: readonly Checklist[]
  readonly only?: TableInfo
}): JSX.Element {
  const tables = useTables().filter((table) => only === undefined || table.name === only.name)
  const views = useKnownViews()
  const forms = (views ?? []).filter(({ type, table }) => type === 'form' && tables.some(({ name }) => name === table))
  const own = checklists.filter((checklist) => tables.some(({ name }) => name === checklist.table))
  const tableOf = (name: string): TableInfo | undefined => tables.find((table) => table.name === name)
  const isEmpty = own.length === 0 && forms.length === 0
  const hasSynced = useHasSynced()
  return (
    <Page title={words.capture} width="reading" description={words.captureLead}>
      <div className="flex flex-col gap-7">
        <Drafts {...{ workspace, tables, forms }} areFormsKnown={views !== undefined} />
        {own.map((checklist) => {
          const table = tableOf(checklist.table)
          return table ? <ChecklistWork key={table.name} {...{ workspace, checklist, table }} /> : null
        })}
        {forms.length === 0 ? null : (
          <Section title={words.forms}>
            {forms.map(({ id, table, name }) => (
              <Line
                key={id}
                to={{ kind: 'view', view: id }}
                {...{ workspace, table }}
                title={name}
                icon={tableOf(table)}
              />
            ))}
          </Section>
        )}
        {isEmpty && hasSynced && views === undefined ? <Skeleton rows={4} /> : null}
        {isEmpty && hasSynced && views !== undefined ? <NothingToCapture workspace={workspace} only={only} /> : null}
        {isEmpty && !hasSynced ? <FirstRowsNote rows={4} /> : null}
      </div>
    </Page>
  )
}

function NothingToCapture({
  workspace,
  only,
}: {
  readonly workspace: string
  readonly only: TableInfo | undefined
}): JSX.Element {
  const own = useWorkspace()
  const isAdmin = own != null && canChange(own) && only?.madeIn === own.id
  if (!only)
    return (
      <EmptyState title={words.nothing} action={<TableStarts />}>
        {words.nothingDetail}
      </EmptyState>
    )
  if (isAdmin)
    return (
      <EmptyState
        title={words.nothing}
        action={
          <LinkButton to="/w/$ws/t/$table/checklists" params={{ ws: workspace, table: only.name }}>
            {builderMessages.addTitle}
          </LinkButton>
        }
      >
        {words.nothingOf(only.label)}
      </EmptyState>
    )
  const open = (
    <LinkButton to="/w/$ws/t/$table" params={{ ws: workspace, table: only.name }}>
      {workMessages.open(only.label)}
    </LinkButton>
  )
  return (
    <EmptyState title={words.nothing} action={open}>
      {words.nothingOf(only.label)}
    </EmptyState>
  )
}

/** Lists the drafts on this device. */
function Drafts({
  workspace,
  tables,
  forms,
  areFormsKnown,
}: {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
  readonly forms: readonly SavedView[]
  readonly areFormsKnown: boolean
}): JSX.Element | null {
  const { database } = useLocalDatabase()
  const { rows, onMore } = useRowsInSteps<AnyDraftRow>(draftsSql, DRAFT_STEP)
  const known = rows.flatMap((row) => {
    const table = tables.find(({ name }) => name === row.table_name)
    return table ? [{ row, table }] : []
  })
  if (known.length === 0) return null
  // If the form of a draft is gone, the draft continues as a record with missing values.
  const placeOf = (row: AnyDraftRow): DraftPlace => {
    const place = draftPlaceOf(row)
    const isHere = place.kind !== 'view' || !areFormsKnown || forms.some(({ id }) => id === place.view)
    return isHere ? place : { kind: 'record', record: row.record_id }
  }
  return (
    <Section title={words.drafts} onMore={onMore}>
      {known.map(({ row, table }) => (
        <DraftLine
          key={row.id}
          {...{ workspace, table, row }}
          to={placeOf(row)}
          onDiscard={() => void storeOrTell(words.discard, () => removeDraft(database, row.id))}
        />
      ))}
    </Section>
  )
}

function DraftLine({
  workspace,
  table,
  row,
  to,
  onDiscard,
}: {
  readonly workspace: string
  readonly table: TableInfo
  readonly row: AnyDraftRow
  readonly to: DraftPlace
  readonly onDiscard: () => void
}): JSX.Element {
  const title = table.titleColumn === undefined ? 'null' : quoteName(table.titleColumn)
  const { rows } = useRecords<{ readonly title: string | null }>(
    `select ${title} as title from ${quoteName(table.name)} where id = ?`,
    [row.record_id],
  )
  const name = rows[0] ? (rows[0].title ?? shortId(row.record_id)) : words.newRecord(table.noun)
  return (
    <Line
      {...{ workspace, to }}
      table={table.name}
      icon={table}
      title={name}
      detail={words.leftAt(formatAgo(new Date(row.updated_at)))}
      action={
        <IconButton
          label={`${words.discard}: ${name}`}
          className="size-14 coarse:size-14"
          icon={<Trash2 size={20} aria-hidden />}
          onPress={onDiscard}
        />
      }
    />
  )
}

interface WorkRow {
  readonly id: string
  readonly title: string | null
  readonly state: string | null
  readonly due: string | null
  readonly place: string | null
}

/** Returns a line's texts. The place comes first, because a phone has room for little more. */
function wordsOf({ id, place, title, due }: WorkRow): { readonly title: string; readonly detail?: string } {
  const day = due === null ? null : formatDay(due, pageLocale())
  const [first = shortId(id), ...others] = [place, title, day].flatMap((one) => one || [])
  return others.length === 0 ? { title: first } : { title: first, detail: others.join(' · ') }
}

/** Lists the user's open checklists of a table, and the templates for new ones. */
function ChecklistWork({
  workspace,
  checklist,
  table,
}: {
  readonly workspace: string
  readonly checklist: Checklist
  readonly table: TableInfo
}): JSX.Element {
  const schema = useSchema()
  const mayAdd = useMayAdd(table)
  const tables = useTables()
  const { userId } = useLocalDatabase()
  const work = useMemo(() => {
    const found = workTablesOf(schema, tables).find((one) => one.table.name === table.name)
    const finish = found?.state && checklist.finish[found.state.name]
    return found && typeof finish === 'string' ? { ...found, handedIn: finish } : found
  }, [schema, tables, table, checklist])
  const sqlOf = useCallback(
    (limit: number) => (work ? openWorkSql([work], userId, {}, limit) : { sql: '', parameters: [] }),
    [work, userId],
  )
  const { rows: mine, isLoading, onMore } = useRowsInSteps<WorkRow>(sqlOf, WORK_STEP)
  return (
    <>
      {isLoading ? <Skeleton rows={3} /> : null}
      {mine.length === 0 ? null : (
        <Section title={words.mine(table.label)} onMore={onMore}>
          {mine.map((row) => (
            <Line
              key={row.id}
              {...{ workspace }}
              to={{ kind: 'checklist', record: row.id }}
              table={table.name}
              icon={table}
              {...wordsOf(row)}
              after={
                row.state === null ? null : (
                  <ChoiceChip choice={row.state} words={work?.state?.choiceWords ?? NONE_GIVEN} />
                )
              }
            />
          ))}
        </Section>
      )}
      {mayAdd ? <Templates {...{ workspace, checklist, table }} /> : null}
    </>
  )
}

function Templates({
  workspace,
  checklist: { templates },
  table,
}: {
  readonly workspace: string
  readonly checklist: Checklist
  readonly table: TableInfo
}): JSX.Element | null {
  const title = templates.title === undefined ? 'id' : quoteName(templates.title)
  const where = templates.active === undefined ? '' : `where coalesce(${quoteName(templates.active)}, 1) <> 0`
  const sqlOf = useCallback(
    (limit: number) => ({
      sql: `select id, ${title} as title from ${quoteName(templates.table)} ${where} order by 2 collate nocase, id limit ${String(limit)}`,
      parameters: [],
    }),
    [title, where, templates.table],
  )
  const { rows, isLoading, onMore } = useRowsInSteps<{ readonly id: string; readonly title: string | null }>(
    sqlOf,
    TEMPLATE_STEP,
  )
  if (isLoading) return <Skeleton rows={3} />
  if (rows.length === 0) return null
  return (
    <Section title={words.startNew(table.noun)} onMore={onMore}>
      {rows.map((row) => (
        <Line
          key={row.id}
          {...{ workspace }}
          to={{ kind: 'start', template: row.id, prefill: undefined }}
          table={table.name}
          icon={undefined}
          title={row.title ?? shortId(row.id)}
        />
      ))}
    </Section>
  )
}
