import type { Field } from '../../../lib/fields/field.ts'
import { completeFilter } from '../../../lib/filters/filter.ts'
import type { Setting } from '../../../lib/views/view-settings.ts'
import type { GridDress } from '../grid-dress.ts'
import { GroupItem, GroupRow } from '../groups/group-row.tsx'
import { groupedQuery } from '../groups/grouping.ts'
import { type GridQuery, RULE_PREFIX } from '../query/grid-query.ts'
import { TONE_LOOKS } from './tone-looks.tsx'
import {
  type ColorRule,
  orderFields,
  parseFrozen,
  parseHeight,
  parseRules,
  parseWidths,
  type RowHeight,
} from './view-looks.ts'

/** Settings in URL form. */
type Texts<Name extends Setting> = Readonly<Record<Name, string | undefined>>

const HEIGHT_PX: Readonly<Record<RowHeight, number>> = { compact: 28, medium: 44, tall: 92 }

/** Returns the query with a view's groups and colour rules. */
function dressQuery(query: GridQuery, { group, aggregate, color }: Texts<'group' | 'aggregate' | 'color'>): GridQuery {
  const rules = rulesOf(query, color)
  return groupedQuery(rules.length === 0 ? query : { ...query, rules }, group ?? '', aggregate)
}

function dressFields(fields: readonly Field[], order: string | undefined): readonly Field[] {
  return orderFields(fields, order)
}

function dressGrid(
  query: GridQuery,
  { color, width, freeze, height }: Texts<'color' | 'width' | 'freeze' | 'height'>,
): GridDress {
  const rules = rulesOf(query, color)
  const rowHeight = parseHeight(height)
  return {
    widths: parseWidths(width),
    frozen: parseFrozen(freeze),
    rowPx: rowHeight && HEIGHT_PX[rowHeight],
    isTall: rowHeight === 'tall',
    toneOf(row, field) {
      const fitting = rules.find((rule, index) => rule.field === field && row[RULE_PREFIX + index] === 1)
      return fitting && TONE_LOOKS[fitting.tone]
    },
    GroupRow,
    GroupItem,
  }
}

/** Returns the rules that can be evaluated, in order. */
function rulesOf({ fields }: GridQuery, color: string | undefined): readonly ColorRule[] {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return parseRules(color)
    .map((rule) => ({ ...rule, filter: completeFilter(rule.filter, byName) }))
    .filter((rule) => rule.filter.nodes.length > 0)
}

/** Applies a view's settings to its query, fields and grid. */
export const dressing = { query: dressQuery, fields: dressFields, grid: dressGrid }
