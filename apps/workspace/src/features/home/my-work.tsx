import type { JSX } from 'react'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { type ChoiceWords, NONE_GIVEN } from '../../lib/data/column-words.ts'
import { shortId } from '../../lib/data/use-record-title.ts'
import { formatDay } from '../../lib/fields/dates.ts'
import type { WorkTable } from '../../lib/records/work-tables.ts'
import { workMessages as words } from '../../messages/work.ts'
import { RecordLine } from '../../components/records/record-line.tsx'
import { pageLocale } from '../../lib/language.ts'

/** Records that a list shows before it says how many more there are. */
const SHOWN_MAX = 8
const DAY_MS = 86_400_000

/** An open record, as `openWorkSql` reads it. */
export interface WorkRow {
  readonly table: string
  readonly id: string
  readonly title: string | number | null
  readonly state: string | null
  readonly due: string
  readonly place: string | number | null
}

interface WorkProps {
  readonly rows: readonly WorkRow[]
  readonly work: readonly WorkTable[]
  readonly workspace: string
  /** `YYYY-MM-DD`. */
  readonly today: string
}

/** What is assigned to this person, by its day, over all tables with work in them. */
export function MyWork({ rows, work, workspace, today }: WorkProps): JSX.Element {
  const [first] = work
  const groups = [
    { title: words.overdue, rows: rows.filter(({ due }) => due < today) },
    { title: words.today, rows: rows.filter(({ due }) => due === today) },
    { title: words.soon, rows: rows.filter(({ due }) => due > today) },
  ].filter((group) => group.rows.length > 0)
  return (
    <section aria-labelledby="home-work">
      <h2 id="home-work" className="pb-2 text-heading">
        {words.title}
      </h2>
      {groups.length === 0 && first ? (
        <NothingToDo table={first} workspace={workspace} />
      ) : (
        <div className="flex flex-col gap-5">
          {groups.map((group) => (
            <WorkList key={group.title} {...group} work={work} workspace={workspace} today={today} />
          ))}
        </div>
      )}
    </section>
  )
}

function NothingToDo({ table, workspace }: { readonly table: WorkTable; readonly workspace: string }): JSX.Element {
  const { name, label } = table.table
  return (
    <div className="rounded-lg border border-border">
      <EmptyState
        title={words.nothing}
        action={
          <LinkButton to="/w/$ws/t/$table" params={{ ws: workspace, table: name }}>
            {words.open(label)}
          </LinkButton>
        }
      >
        {words.nothingDetail}
      </EmptyState>
    </div>
  )
}

function WorkList({ title, rows, work, workspace, today }: WorkProps & { readonly title: string }): JSX.Element {
  return (
    <div>
      <h3 className="flex items-baseline gap-2 pb-1 text-body font-medium">
        {title} <span className="text-small font-regular text-muted tabular-nums">{rows.length}</span>
      </h3>
      <ul aria-label={title} className="flex flex-col">
        {rows.slice(0, SHOWN_MAX).map((row) => (
          <RecordLine
            key={`${row.table}/${row.id}`}
            workspace={workspace}
            table={row.table}
            id={row.id}
            title={row.title === null ? shortId(row.id) : String(row.title)}
            detail={<WorkDetail row={row} work={work} today={today} />}
            after={row.state === null ? null : <ChoiceChip choice={row.state} words={wordsOfState(work, row.table)} />}
          />
        ))}
      </ul>
      {rows.length > SHOWN_MAX ? (
        <p className="px-1 pt-1.5 text-small text-muted">{words.more(rows.length - SHOWN_MAX)}</p>
      ) : null}
    </div>
  )
}

function wordsOfState(work: readonly WorkTable[], name: string): ChoiceWords {
  return work.find(({ table }) => table.name === name)?.state?.choiceWords ?? NONE_GIVEN
}

/** "3 days late · Inspection · Elmcroft pumping station": on a phone the end is cut off. */
function WorkDetail({
  row,
  work,
  today,
}: {
  readonly row: WorkRow
  readonly work: readonly WorkTable[]
  readonly today: string
}): JSX.Element {
  const days = Math.round((Date.parse(today) - Date.parse(row.due)) / DAY_MS)
  const noun = work.find(({ table }) => table.name === row.table)?.table.noun ?? ''
  const what = [noun.charAt(0).toUpperCase() + noun.slice(1), ...(row.place === null ? [] : [row.place])].join(' · ')
  return (
    <>
      {days > 0 ? <span className="font-medium text-danger tabular-nums">{words.late(days)}</span> : null}
      {days < 0 ? <span className="tabular-nums">{formatDay(row.due, pageLocale())}</span> : null}
      {days === 0 ? null : ' · '}
      {what}
    </>
  )
}
