import { errorMessage } from '@holdfast/foundation'
import { isConnectionLoss, type Pool } from '@holdfast/postgres'
import type { Relation, Tuple } from '@holdfast/replication'
import { FILTERS_TOGETHER_MAX } from '../limits.ts'
import type { JudgedRow } from './audience.ts'
import { evaluateFilters, printRows } from './evaluate-changes.ts'
import type { Filter } from './filter.ts'
import type { RenderedChange } from './render-change.ts'
import type { ChangeKind } from './subscription.ts'
import type { FilterGroup, SubscriptionIndex } from './subscription-index.ts'
import type { TableInfo } from './table-info.ts'

/** A row change from the replication stream. */
export interface RowChange {
  readonly kind: ChangeKind
  readonly relation: Relation
  readonly old: Tuple | undefined
  readonly row: Tuple | undefined
  readonly bytes: number
  readonly xid: number
  readonly committedAtMs: number
}

/** A change with its JSON from Postgres. */
export interface Prepared extends RenderedChange {
  /** The new row, or the old one after a DELETE. */
  readonly judged: JudgedRow
  /** Filters of the table that the judged row passes. */
  readonly passed: ReadonlySet<FilterGroup>
}

/** Has Postgres print some changes and determines which filters they pass. @param onFailure - a filter could not be evaluated and passes nothing */
export async function prepareChanges(
  evaluatorPool: Pool,
  info: TableInfo,
  index: SubscriptionIndex,
  changes: readonly RowChange[],
  onFailure: (group: FilterGroup, reason: string) => void,
): Promise<readonly Prepared[]> {
  const tuples = changes.map(({ relation, row, old }) => ({
    row: row && valuesOf(info, relation, row),
    old: old && valuesOf(info, relation, old),
  }))
  const literals = tuples.flatMap(({ row, old }) =>
    [row, old].flatMap((values) => (values ? [rowLiteral(values)] : [])),
  )
  const printed = (await printRows(evaluatorPool, info, literals)).values()
  const prepared = changes.map(({ kind, committedAtMs, bytes }, position) => {
    const { row, old } = tuples[position] as (typeof tuples)[number]
    const cells = row && printed.next().value
    const oldCells = old && printed.next().value
    const values = row ?? old ?? []
    const judged = { cells: cells ?? oldCells ?? [], literal: rowLiteral(values), values }
    return { kind, committedAtMs, bytes, cells, oldCells, judged, ...index.filters.find(judged.cells) }
  })
  await evaluateOpen(evaluatorPool, info, prepared, onFailure)
  return prepared
}

/** Has Postgres evaluate the filters without lookup. */
async function evaluateOpen(
  pool: Pool,
  info: TableInfo,
  prepared: readonly {
    readonly judged: JudgedRow
    readonly open: ReadonlySet<FilterGroup>
    readonly passed: Set<FilterGroup>
  }[],
  onFailure: (group: FilterGroup, reason: string) => void,
): Promise<void> {
  const open = new Set(prepared.flatMap((one) => [...one.open]))
  const groups = Map.groupBy(open, ({ filter }) => filter?.text ?? '')
  const texts = [...groups.keys()]
  const rows = prepared.map(({ judged }) => judged.literal)
  const evaluate = async (some: readonly string[]): Promise<void> => {
    const filters = some.map((text) => groups.get(text)?.[0]?.filter as Filter)
    const passes = await evaluateFilters(pool, info, filters, rows)
    prepared.forEach((one, row) => {
      some.forEach((text, number) => {
        if (passes[row]?.[number] !== true) return
        for (const group of groups.get(text) ?? []) if (one.open.has(group)) one.passed.add(group)
      })
    })
  }
  for (let at = 0; at < texts.length; at += FILTERS_TOGETHER_MAX) {
    const some = texts.slice(at, at + FILTERS_TOGETHER_MAX)
    try {
      await evaluate(some)
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      // Evaluate separately, so that a failing or slow filter affects only its subscribers.
      for (const text of some) {
        try {
          await evaluate([text])
        } catch (failure) {
          if (isConnectionLoss(failure)) throw failure
          const reason = `The filter ${text} failed for a change: ${errorMessage(failure)}`
          for (const group of groups.get(text) ?? []) onFailure(group, reason)
        }
      }
    }
  }
}

/** During a schema change, the columns of stream and table may differ. */
function valuesOf(info: TableInfo, relation: Relation, tuple: Tuple): readonly (string | null)[] {
  const values = new Map(relation.columns.map(({ name }, position) => [name, tuple[position] ?? null]))
  return info.columns.map(({ name }) => values.get(name) ?? null)
}

/** Renders a row as a composite literal of its table. */
export function rowLiteral(values: readonly (string | null)[]): string {
  return `(${values.map((value) => (value === null ? '' : `"${value.replaceAll(/["\\]/g, '$&$&')}"`)).join(',')})`
}
