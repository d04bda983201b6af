import { useHasSynced, useRecords } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type JSX, useCallback, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { HomeLink } from '../../components/home-link.tsx'
import { LinkButton } from '../../components/link.tsx'
import { TableStarts } from '../../components/records/table-starts.tsx'
import { Page } from '../../components/page.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useRowsInSteps } from '../../hooks/use-rows-in-steps.ts'
import { addDays } from '../../lib/fields/dates.ts'
import { countWorkSql, openWorkSql, type WorkDays } from '../../lib/records/work-tables.ts'
import { workMessages as words } from '../../messages/work.ts'
import { useWork } from './use-work.ts'
import { countOf, DAYS_SOON, WorkGroup, WorkLines, type WorkPlace, type WorkRow } from './work-list.tsx'

/** Names of the periods in the URL. */
const WHENS = ['overdue', 'today', 'week', 'all'] as const
type When = (typeof WHENS)[number]

/** Records shown at first, and added with each press on *Show more*. */
const STEP = 100
const THROTTLE_MS = 500

/** All records assigned to the user across all tables, by due date, including later and undated ones. */
export function MyWorkScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/my-work' })
  const { when = 'all' } = useSearch({ from: '/signed-in/w/$ws/my-work' })
  const navigate = useNavigate()
  const { userId, work, today } = useWork()
  const hasSynced = useHasSynced()
  const { sql, parameters } = useMemo(
    () => countWorkSql(work, userId, today, addDays(today, DAYS_SOON)),
    [work, userId, today],
  )
  const [count] = useRecords<Counts>(sql, parameters, { throttleMs: THROTTLE_MS }).rows
  const counts: Readonly<Record<When, number | undefined>> = {
    overdue: count?.overdue,
    today: count?.today,
    week: count?.soon,
    all: count?.every,
  }
  const onSelect = (next: When): void =>
    void navigate({ to: '/w/$ws/my-work', params: { ws }, search: { when: next }, replace: true })
  if (work.length === 0) return <NoWorkTables hasSynced={hasSynced} />
  return (
    <Page title={words.title} width="reading">
      <Tabs
        label={words.filter}
        selected={when}
        onSelect={onSelect}
        tabs={WHENS.map((id) => ({
          id,
          label: words.when[id],
          count: counts[id] ?? 0,
          tone: id === 'overdue' ? 'danger' : 'neutral',
          content: <WorkOf key={id} when={id} count={counts[id]} workspace={ws} />,
        }))}
      />
    </Page>
  )
}

interface Counts {
  readonly overdue: number
  readonly today: number
  readonly soon: number
  readonly every: number
}

/** The records of one tab, starting with the first ones. */
function WorkOf({
  when,
  count,
  workspace,
}: {
  readonly when: When
  /** `undefined`: not counted yet. */
  readonly count: number | undefined
  readonly workspace: string
}): JSX.Element {
  const { userId, work, today } = useWork()
  const place = { work, workspace, today }
  const hasSynced = useHasSynced()
  const sqlOf = useCallback(
    (limit: number) => openWorkSql(work, userId, daysOf(when, today), limit),
    [work, userId, when, today],
  )
  const { rows, isLoading, onMore } = useRowsInSteps<WorkRow>(sqlOf, STEP, { throttleMs: THROTTLE_MS })
  if (isLoading && rows.length === 0) return <Skeleton rows={6} />
  if (rows.length === 0 && !hasSynced) return <FirstRowsNote rows={6} />
  if (rows.length === 0) return <NothingThere when={when} />
  return (
    <div className="flex flex-col gap-5">
      {when === 'all' ? (
        <Groups rows={rows} isCut={onMore !== undefined} {...place} />
      ) : (
        <WorkLines title={words.when[when]} rows={rows} {...place} />
      )}
      {onMore === undefined ? null : (
        <div className="flex items-center gap-3">
          <Button onPress={onMore}>{words.showMore}</Button>
          {count === undefined ? null : (
            <span className="text-small text-muted">{words.shown(rows.length, count)}</span>
          )}
        </div>
      )}
    </div>
  )
}

/** All work, grouped by period. */
function Groups({
  rows,
  isCut,
  ...place
}: WorkPlace & {
  readonly rows: readonly WorkRow[]
  /** The last group has more records. */
  readonly isCut: boolean
}): JSX.Element {
  const { today } = place
  const soon = addDays(today, DAYS_SOON)
  const groups = Map.groupBy(rows, ({ due }) => {
    if (due === null) return 'none'
    if (due < today) return 'overdue'
    if (due === today) return 'today'
    return due <= soon ? 'week' : 'later'
  })
  return (
    <>
      {[...groups].map(([when, together]) => (
        <WorkGroup
          key={when}
          title={words.when[when]}
          count={countOf(together, isCut ? rows : undefined)}
          rows={together}
          {...place}
        />
      ))}
    </>
  )
}

function NothingThere({ when }: { readonly when: When }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/my-work' })
  const action =
    when === 'all' ? (
      <HomeLink />
    ) : (
      <LinkButton to="/w/$ws/my-work" params={{ ws }} search={{ when: 'all' }}>
        {words.showAll}
      </LinkButton>
    )
  return (
    <EmptyState title={words.nothingIn[when]} icon={<StateGlyph name="check" size={28} />} action={action}>
      {words.nothingDetail}
    </EmptyState>
  )
}

/** Shown if no table has an assignee and a due date, or no table is synced yet. */
function NoWorkTables({ hasSynced }: { readonly hasSynced: boolean }): JSX.Element {
  return (
    <Page title={words.title} width="reading">
      {hasSynced ? (
        <EmptyState title={words.noTables} action={<TableStarts />}>
          {words.noTablesDetail}
        </EmptyState>
      ) : (
        <FirstRowsNote rows={6} />
      )}
    </Page>
  )
}

function daysOf(when: When, today: string): WorkDays {
  if (when === 'overdue') return { until: addDays(today, -1) }
  if (when === 'today') return { from: today, until: today }
  return when === 'week' ? { from: addDays(today, 1), until: addDays(today, DAYS_SOON) } : {}
}
