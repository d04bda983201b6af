import type { JSX } from 'react'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { RecordLine } from '../../components/records/record-line.tsx'
import { type ChoiceWords, NONE_GIVEN } from '../../lib/data/column-words.ts'
import { shortId } from '../../lib/data/use-record-title.ts'
import { formatDay } from '../../lib/fields/dates.ts'
import { capitalize, formatCount } from '../../lib/format.ts'
import { pageLocale } from '../../lib/language.ts'
import type { TeamTable } from '../../lib/records/team-work.ts'
import { shellMessages } from '../../messages/shell.ts'
import { workMessages as words } from '../../messages/work.ts'

const DAY_MS = 86_400_000
/** Number of days that count as soon. */
export const DAYS_SOON = 7

/** An open record, as `openWorkSql` reads it. */
export interface WorkRow {
  readonly table: string
  readonly id: string
  readonly title: string | number | null
  readonly state: string | null
  readonly due: string | null
  readonly place: string | number | null
}

/** The tables of a work list, and the current day as `YYYY-MM-DD`. */
export interface WorkPlace {
  readonly work: readonly TeamTable[]
  readonly workspace: string
  readonly today: string
}

/**
 * Returns the number of records in a period, "8" or "8+".
 *
 * @param cut - all records read, if there are more; sorted by day, so only the last period is incomplete
 */
export function countOf(together: readonly WorkRow[], cut: readonly WorkRow[] | undefined): string {
  return `${formatCount(together.length)}${cut !== undefined && together.at(-1) === cut.at(-1) ? '+' : ''}`
}

/** The records of one period under its name. */
export function WorkGroup({
  title,
  count,
  rows,
  ...place
}: WorkPlace & {
  readonly title: string
  /** Their total, of which `rows` are the first. */
  readonly count: string
  readonly rows: readonly WorkRow[]
}): JSX.Element {
  return (
    <div>
      <h3 className="flex items-baseline gap-2 pb-1 text-body font-medium">
        {title} <span className="text-small font-regular text-muted tabular-nums">{count}</span>
      </h3>
      <WorkLines title={title} rows={rows} {...place} />
    </div>
  )
}

export function WorkLines({
  title,
  rows,
  work,
  workspace,
  today,
}: WorkPlace & { readonly title: string; readonly rows: readonly WorkRow[] }): JSX.Element {
  return (
    <ul aria-label={title} className="flex flex-col">
      {rows.map((row) => (
        <RecordLine
          key={`${row.table}/${row.id}`}
          workspace={workspace}
          table={row.table}
          id={row.id}
          title={row.title === null ? shortId(row.id) : String(row.title)}
          detail={<WorkDetail row={row} work={work} today={today} />}
          after={row.state === null ? null : <ChoiceChip choice={row.state} {...choicesOf(work, row.table)} />}
        />
      ))}
    </ul>
  )
}

function choicesOf(
  work: readonly TeamTable[],
  name: string,
): { readonly among: readonly string[] | undefined; readonly words: ChoiceWords } {
  const state = work.find(({ table }) => table.name === name)?.state
  return { among: state?.choices, words: state?.choiceWords ?? NONE_GIVEN }
}

/** Such as "3 days late · Inspection · Elmcroft pumping station". Its end is truncated on a phone. */
function WorkDetail({
  row,
  work,
  today,
}: {
  readonly row: WorkRow
  readonly work: readonly TeamTable[]
  readonly today: string
}): JSX.Element {
  const table = work.find((one) => one.table.name === row.table)?.table
  // "Record" alone would not say of which table.
  const kind = table?.noun === shellMessages.record ? table.label : capitalize(table?.noun ?? '')
  const what = [kind, ...(row.place === null ? [] : [row.place])].join(' · ')
  const { due } = row
  if (due === null || due === today) return <>{what}</>
  return (
    <>
      {due < today ? (
        <span className="font-medium text-danger tabular-nums">
          {words.late(Math.round((Date.parse(today) - Date.parse(due)) / DAY_MS))}
        </span>
      ) : (
        <span className="tabular-nums">{formatDay(due, pageLocale())}</span>
      )}
      {' · '}
      {what}
    </>
  )
}
