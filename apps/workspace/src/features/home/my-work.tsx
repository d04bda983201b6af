import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import type { TeamTable } from '../../lib/records/team-work.ts'
import { workMessages as words } from '../../messages/work.ts'
import { countOf, WorkGroup, type WorkPlace, type WorkRow } from './work-list.tsx'

/** Limit of listed records; the *My work* screen has all. */
const SHOWN_MAX = 8
const linkClass =
  'inline-flex min-h-8 items-center px-1 text-small text-accent underline-offset-2 hover:underline coarse:min-h-11'

/**
 * Records assigned to this user that are due now or soon, across all tables.
 *
 * @param props.isCut - there are more than `rows`
 * @param props.isTeamBelow - work of others follows, so that an empty list needs no next action
 */
export function MyWork({
  rows,
  isCut,
  isTeamBelow,
  ...place
}: WorkPlace & {
  readonly rows: readonly WorkRow[]
  readonly isCut: boolean
  readonly isTeamBelow: boolean
}): JSX.Element {
  const { work, workspace, today } = place
  const [first] = work
  const groups = [
    { when: 'overdue', rows: rows.filter(({ due }) => due !== null && due < today) },
    { when: 'today', rows: rows.filter(({ due }) => due === today) },
    { when: 'week', rows: rows.filter(({ due }) => due !== null && due > today) },
  ] as const
  const shown = groups.filter((group) => group.rows.length > 0)
  return (
    <section aria-labelledby="home-work">
      <div className="flex items-center justify-between gap-4">
        <h2 id="home-work" className="text-heading">
          {words.title}
        </h2>
        <Link to="/w/$ws/my-work" params={{ ws: workspace }} className={linkClass}>
          {words.all}
        </Link>
      </div>
      {shown.length === 0 && isTeamBelow ? (
        <p className="text-muted">{words.nothing}</p>
      ) : shown.length === 0 && first ? (
        <NothingToDo table={first} workspace={workspace} />
      ) : (
        <div className="flex flex-col gap-5">
          {shown.map(({ when, rows: together }) => {
            const count = countOf(together, isCut ? rows : undefined)
            return (
              <div key={when}>
                <WorkGroup title={words.when[when]} count={count} rows={together.slice(0, SHOWN_MAX)} {...place} />
                {together.length > SHOWN_MAX ? (
                  <Link to="/w/$ws/my-work" params={{ ws: workspace }} search={{ when }} className={linkClass}>
                    {words.allOf(count, words.when[when])}
                  </Link>
                ) : null}
              </div>
            )
          })}
        </div>
      )}
    </section>
  )
}

function NothingToDo({ table, workspace }: { readonly table: TeamTable; readonly workspace: string }): JSX.Element {
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
