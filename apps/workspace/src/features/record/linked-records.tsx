import { stateColumnOf } from '@holdfast/protocol'
import { useRecords, useSchema } from '@holdfast/react'
import { useTables } from '../../lib/data/use-tables.tsx'
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { lateDetail } from '../../components/late-content.tsx'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { choiceWordsOf } from '../../lib/data/column-words.ts'
import { fieldsOf } from '../../lib/fields/field.ts'
import { renderFilter } from '../../lib/filters/filter-text.ts'
import { formatCount } from '../../lib/format.ts'
import { quoteName } from '../../lib/sql.ts'
import { recordMessages as words } from '../../messages/record.ts'
import type { Relation } from './links/relation.ts'

/** Limit of linked records listed per relation. */
const LISTED_MAX = 8

/** Returns the tables and fields that link to a table. */
export function useRelations(table: string): readonly Relation[] {
  const tables = useTables()
  const schema = useSchema()
  return tables.flatMap((other) =>
    fieldsOf(other.descriptor, schema)
      .filter((field) => field.link?.table === table)
      .map((field) => ({ table: other, field })),
  )
}

/** Returns the number of linking records per relation, in the given order. */
export function useRelationCounts(relations: readonly Relation[], id: string): readonly number[] {
  const sql = relations.map(
    ({ table, field }, index) =>
      `select ${index} as place, count(*) as rows from ${quoteName(table.name)} where ${quoteName(field.name)} = ?`,
  )
  const { rows } = useRecords<{ readonly place: number; readonly rows: number }>(
    sql.join(' union all '),
    relations.map(() => id),
    { throttleMs: 200 },
  )
  return relations.map((_, index) => rows.find(({ place }) => place === index)?.rows ?? 0)
}

/** Lists the records that link to this one, by table, where records can be added and linked. Long lists lead to the filtered table. */
export function LinkedRecords({
  relations,
  counts,
  id,
  workspace,
  onOpen,
}: {
  readonly relations: readonly Relation[]
  readonly counts: readonly number[]
  readonly id: string
  readonly workspace: string
  readonly onOpen: (table: string, id: string) => void
}): JSX.Element {
  if (relations.every((relation, index) => !isListed(relation, counts[index] ?? 0)))
    return <p className="text-body text-muted">{words.noLinks}</p>
  return (
    <div className="flex flex-col gap-5">
      {relations.map((relation, index) => {
        const count = counts[index] ?? 0
        return isListed(relation, count) ? (
          <RelationList
            key={`${relation.table.name}/${relation.field.name}`}
            relation={relation}
            count={count}
            id={id}
            workspace={workspace}
            onOpen={onOpen}
          />
        ) : null
      })}
    </div>
  )
}

/** Whether records can be added to a relation: tables that only support others, such as answers of checklists, have their own screens. */
function isExtensible({ table, field }: Relation): boolean {
  const { insert, update } = table.descriptor.can
  return !table.isSupporting && field.isEditable && (insert || update)
}

function isListed(relation: Relation, count: number): boolean {
  return count > 0 || isExtensible(relation)
}

const { Content: RelationActions } = lateDetail(
  async () => (await import('./links/relation-actions.tsx')).RelationActions,
)

interface LinkedRow {
  readonly id: string
  readonly title: string | number | null
  readonly choice: string | null
}

function RelationList({
  relation,
  count,
  id,
  workspace,
  onOpen,
}: {
  readonly relation: Relation
  readonly count: number
  readonly id: string
  readonly workspace: string
  readonly onOpen: (table: string, id: string) => void
}): JSX.Element {
  const { table, field } = relation
  const title = table.titleColumn === undefined ? 'null' : quoteName(table.titleColumn)
  const state = stateColumnOf(table.descriptor.columns.filter(({ choices }) => choices !== undefined))
  const { rows } = useRecords<LinkedRow>(
    `select id, ${title} as title, ${state ? quoteName(state.name) : 'null'} as choice
       from ${quoteName(table.name)} where ${quoteName(field.name)} = ? order by 2 collate nocase, id limit ${LISTED_MAX}`,
    [id],
  )
  const filter = renderFilter({
    kind: 'all',
    nodes: [{ kind: 'condition', field: field.name, operator: 'is', values: [id] }],
  })
  return (
    <section>
      <h3 className="flex items-baseline gap-2 pb-1 text-body font-medium">
        {table.label}
        <span className="text-small text-muted tabular-nums">{formatCount(count)}</span>
        <span className="text-small font-regular text-subtle">{words.via(field.label)}</span>
      </h3>
      {isExtensible(relation) ? <RelationActions key={id} {...{ relation, onOpen }} recordId={id} /> : null}
      <ul className="flex flex-col">
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              onClick={() => onOpen(table.name, row.id)}
              className="focus-inset flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left text-body hover:bg-hover coarse:min-h-11"
            >
              <span className="min-w-0 flex-1 truncate">
                {row.title === null || row.title === '' ? row.id.slice(0, 8) : row.title}
              </span>
              {row.choice === null ? null : (
                <ChoiceChip choice={row.choice} among={state?.choices} words={choiceWordsOf(state)} />
              )}
            </button>
          </li>
        ))}
      </ul>
      {count > LISTED_MAX ? (
        <Link
          to="/w/$ws/t/$table"
          params={{ ws: workspace, table: table.name }}
          search={{ f: filter }}
          className="mt-1 inline-flex min-h-8 items-center px-2 text-small text-accent underline-offset-2 hover:underline coarse:min-h-11"
        >
          {words.showAll(count)}
        </Link>
      ) : null}
    </section>
  )
}
