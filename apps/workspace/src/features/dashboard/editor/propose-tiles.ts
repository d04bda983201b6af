import { type DashboardTile, finishedStatesOf } from '@holdfast/protocol'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { type Field, isPerson } from '../../../lib/fields/field.ts'
import type { Condition } from '../../../lib/filters/filter.ts'
import { renderFilter } from '../../../lib/filters/filter-text.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { measuredFields } from '../data/resolve-tile.ts'
import { columnsOf } from '../tiles/table-tile.tsx'

/** Returns an id for a new tile or filter of a dashboard. */
export function newPartId(): string {
  return crypto.randomUUID().slice(0, 8)
}

type Part = Omit<DashboardTile, 'id' | 'table'>

/**
 * Proposes tiles that are useful at once: what is open and overdue, how it is spread, how it changes, and the records that come next.
 *
 * @param counts - records per table, to group by what has few
 */
export function proposeTiles(
  table: TableInfo,
  fields: readonly Field[],
  counts: ReadonlyMap<string, number>,
): readonly DashboardTile[] {
  const found = fieldsFor(fields, counts)
  const parts: readonly Part[] = [
    ...numbers(table, found),
    ...charts(found),
    { kind: 'table', width: 2, height: 2, ...nextRecords(table, found, fields) },
  ]
  return parts.map((part) => ({ id: newPartId(), table: table.name, ...part }))
}

/** Numbers that name, place or rank a record: their sum says nothing. */
const UNSUMMED =
  /(^|_)(lat|lon|lng|latitude|longitude|number|no|code|year|position|priority|severity|rank|level|grade|score|rating|version)$/

/** Columns that a tile of width 2 has room for. */
const COLUMNS = 3

interface Found {
  readonly state: Field | undefined
  readonly choice: Field | undefined
  readonly link: Field | undefined
  readonly due: Field | undefined
  readonly created: Field | undefined
  readonly number: Field | undefined
}

function fieldsFor(fields: readonly Field[], counts: ReadonlyMap<string, number>): Found {
  const own = fields.filter(({ isSystem }) => !isSystem)
  const choices = own.filter(({ kind, choices: all }) => kind === 'choice' && all.length > 0)
  const state = choices.find(({ use }) => use === 'state') ?? choices[0]
  const dates = own.filter(({ kind }) => kind === 'date' || kind === 'datetime')
  const size = ({ link }: Field): number => counts.get(link?.table ?? '') ?? Number.MAX_SAFE_INTEGER
  const links = own
    .filter(({ kind, link }) => kind === 'link' && link?.titleColumn !== undefined)
    .toSorted((a, b) => Number(a.column.nullable) - Number(b.column.nullable) || size(a) - size(b))
  return {
    state,
    choice: choices.find((field) => field !== state),
    link: links.find((field) => !isPerson(field) && size(field) > 1) ?? links[0],
    due:
      dates.find(({ use }) => use === 'due') ??
      dates.find(({ name }) => /(^|_)(scheduled|planned|next)/.test(name)) ??
      dates[0],
    created: fields.find(({ name }) => name === 'created_at') ?? dates[0],
    number: measuredFields(fields).find(
      ({ name, choices: all, choiceWords }) => all.length === 0 && choiceWords.size === 0 && !UNSUMMED.test(name),
    ),
  }
}

function finished({ state }: Found): readonly string[] {
  if (!state) return []
  const states = finishedStatesOf(state.column)
  return state.choices.filter((choice) => states.includes(choice.toLowerCase()))
}

function openOnly(found: Found): readonly Condition[] {
  const done = finished(found)
  return found.state && done.length > 0
    ? [{ kind: 'condition', field: found.state.name, operator: 'notin', values: done }]
    : []
}

function when({ name }: Field, operator: 'before' | 'after', day: string): Condition {
  return { kind: 'condition', field: name, operator, values: [day] }
}

function filterOf(conditions: readonly Condition[]): { readonly filter?: string } {
  const filter = renderFilter({ kind: 'all', nodes: conditions })
  return filter === undefined ? {} : { filter }
}

function numbers(table: TableInfo, found: Found): readonly Part[] {
  const open = openOnly(found)
  const { due, number } = found
  const isDue = due?.use === 'due'
  return [
    {
      kind: 'number',
      width: 1,
      height: 1,
      ...(open.length > 0 && { title: words.open(table.many).slice(0, 80) }),
      ...filterOf(open),
    },
    ...(isDue
      ? ([
          {
            kind: 'number',
            width: 1,
            height: 1,
            title: words.overdue,
            ...filterOf([...open, when(due, 'before', 'today')]),
          },
          {
            kind: 'number',
            width: 1,
            height: 1,
            title: words.dueSoon,
            ...filterOf([...open, when(due, 'after', 'today-1'), when(due, 'before', 'today+7')]),
          },
        ] as const)
      : []),
    ...(number ? [{ kind: 'number', width: 1, height: 1, measure: { kind: 'sum', field: number.name } } as const] : []),
  ]
}

function charts({ state, choice, link, created }: Found): readonly Part[] {
  const main = state ?? link
  return [
    ...(main ? [{ kind: 'bar', width: 2, height: 2, group: { field: main.name } } as const] : []),
    ...(created ? [{ kind: 'line', width: 2, height: 2, group: { field: created.name, by: 'month' } } as const] : []),
    ...(link && state
      ? [
          {
            kind: 'stacked',
            width: 2,
            height: 2,
            group: { field: link.name },
            stack: { field: (choice ?? state).name },
          } as const,
        ]
      : choice && state
        ? [
            {
              kind: 'stacked',
              width: 2,
              height: 2,
              group: { field: state.name },
              stack: { field: choice.name },
            } as const,
          ]
        : []),
  ]
}

function nextRecords(table: TableInfo, found: Found, fields: readonly Field[]): Partial<Part> {
  const { due, created } = found
  const by = due ?? created
  const first = [fields.find(({ isTitle }) => isTitle), found.state, by?.isSystem === true ? undefined : by]
  const wanted = [...new Set([...first.filter((field) => field !== undefined), ...columnsOf(undefined, fields)])].slice(
    0,
    COLUMNS,
  )
  return {
    fields: wanted.map(({ name }) => name),
    ...(due
      ? { title: words.next(table.many).slice(0, 80), sort: due.name, ...filterOf(openOnly(found)) }
      : created
        ? { title: words.latest(table.many).slice(0, 80), sort: `-${created.name}` }
        : {}),
  }
}
