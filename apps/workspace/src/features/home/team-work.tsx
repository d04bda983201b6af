import { useIncompleteTables, useLocalDatabase } from '@holdfast/react'
import { ChevronRight, CircleDashed } from 'lucide-react'
import { type JSX, useCallback, useMemo, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Disclosure, DisclosurePanel } from 'react-aria-components/Disclosure'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { CountBadge } from '../../components/count-badge.tsx'
import { useRowsInSteps } from '../../hooks/use-rows-in-steps.ts'
import { useSpacedRecords } from '../../lib/data/use-spaced-records.ts'
import { addDays } from '../../lib/fields/dates.ts'
import { formatNames } from '../../lib/format.ts'
import { PEOPLE_MAX, type TeamRow, type TeamTable, teamRecordsSql, teamSql } from '../../lib/records/team-work.ts'
import { workMessages as words } from '../../messages/work.ts'
import { DAYS_SOON, WorkLines, type WorkPlace, type WorkRow } from './work-list.tsx'

/** People shown at first. */
const SHOWN_MAX = 8
/** Records of a person shown at first, and added with each press on *Show more*. */
const STEP = 8
const THROTTLE_MS = 1_000

type TeamPlace = Omit<WorkPlace, 'work'> & { readonly team: readonly TeamTable[] }

/** Returns the open work of others that is due until a week from now, per person; `undefined` while it is read. */
export function useTeamWork(team: readonly TeamTable[], today: string): readonly TeamRow[] | undefined {
  const { userId } = useLocalDatabase()
  const { sql, parameters } = useMemo(
    () => teamSql(team, userId, today, addDays(today, DAYS_SOON)),
    [team, userId, today],
  )
  const tables = team.flatMap(({ table, people }) => [table.name, ...(people ? [people.name] : [])])
  return useSpacedRecords<TeamRow>(sql, parameters, [...new Set(tables)])
}

/** What is overdue and due soon among all records that this user sees, by who has it. */
export function TeamWork({ rows, ...place }: TeamPlace & { readonly rows: readonly TeamRow[] }): JSX.Element | null {
  const [isAll, setAll] = useState(false)
  if (rows.length === 0) return null
  const shown = isAll ? rows : rows.slice(0, SHOWN_MAX)
  const sum = (of: 'overdue' | 'soon'): number => rows.reduce((total, row) => total + row[of], 0)
  return (
    <section aria-labelledby="home-team">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 pb-1">
        <h2 id="home-team" className="text-heading">
          {words.team}
        </h2>
        <p className="text-small text-muted tabular-nums">
          {words.teamSum(sum('overdue'), sum('soon'))}
          {rows.length === PEOPLE_MAX ? ` ${words.teamCut(PEOPLE_MAX)}` : null}
        </p>
      </div>
      <Incomplete team={place.team} />
      <ul className="flex flex-col">
        {shown.map((row, index) => (
          <Person key={row.who ?? ''} row={row} isOpen={index === 0} {...place} />
        ))}
      </ul>
      {shown.length === rows.length ? null : (
        <div className="pt-2">
          <Button size="sm" onPress={() => setAll(true)}>
            {words.allPeople(rows.length)}
          </Button>
        </div>
      )}
    </section>
  )
}

/** Says which tables miss records on this device, so that the counts may be too low. */
function Incomplete({ team }: { readonly team: readonly TeamTable[] }): JSX.Element | null {
  const missing = useIncompleteTables()
  const labels = team
    .filter(({ table }) => missing.some((one) => one.table === table.name))
    .map((one) => one.table.label)
  if (labels.length === 0) return null
  return <p className="pb-2 text-small text-warning">{words.teamIncomplete(formatNames(labels))}</p>
}

function Person({
  row,
  isOpen,
  ...place
}: TeamPlace & { readonly row: TeamRow; readonly isOpen: boolean }): JSX.Element {
  const [isExpanded, setExpanded] = useState(isOpen)
  const name = row.name ?? (row.who === null ? words.unassigned : words.hiddenPerson)
  return (
    <li className="border-b border-border/60">
      <Disclosure className="group" isExpanded={isExpanded} onExpandedChange={setExpanded}>
        <AriaButton
          slot="trigger"
          className="focus-inset flex min-h-10 w-full items-center gap-3 rounded-sm px-1 py-1.5 text-left data-hovered:bg-hover coarse:min-h-11"
        >
          <ChevronRight
            size={14}
            aria-hidden
            className="text-muted transition-transform group-data-expanded:rotate-90"
          />
          {row.name === null ? (
            <CircleDashed size={20} strokeWidth={1.5} aria-hidden className="text-muted" />
          ) : (
            <Avatar name={row.name} size="sm" />
          )}
          <span className="min-w-0 flex-1 truncate">{name}</span>
          {row.overdue === 0 ? null : (
            <span className="flex items-center gap-1.5 text-small text-danger">
              <CountBadge count={row.overdue} tone="danger" />
              <span className="max-tablet:sr-only">{words.overdue}</span>
            </span>
          )}
          {row.soon === 0 ? null : (
            <span className="flex items-center gap-1.5 text-small text-muted">
              <CountBadge count={row.soon} />
              <span className="max-tablet:sr-only">{words.soon}</span>
            </span>
          )}
        </AriaButton>
        <DisclosurePanel>{isExpanded ? <Theirs row={row} name={name} {...place} /> : null}</DisclosurePanel>
      </Disclosure>
    </li>
  )
}

function Theirs({
  row,
  name,
  team,
  ...place
}: TeamPlace & { readonly row: TeamRow; readonly name: string }): JSX.Element {
  const { userId } = useLocalDatabase()
  const { who } = row
  const until = addDays(place.today, DAYS_SOON)
  const sqlOf = useCallback(
    (limit: number) => teamRecordsSql(team, userId, who, until, limit),
    [team, userId, who, until],
  )
  const { rows, onMore } = useRowsInSteps<WorkRow>(sqlOf, STEP, { throttleMs: THROTTLE_MS })
  return (
    <div className="pb-2 pl-5">
      <WorkLines title={words.workOf(name)} rows={rows} work={team} {...place} />
      {onMore === undefined ? null : (
        <div className="flex items-center gap-3 pt-2">
          <Button size="sm" onPress={onMore}>
            {words.showMore}
          </Button>
          <span className="text-small text-muted">{words.shown(rows.length, row.overdue + row.soon)}</span>
        </div>
      )}
    </div>
  )
}
