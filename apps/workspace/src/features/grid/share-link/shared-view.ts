import type { SchemaDescriptor } from '@holdfast/protocol'
import { type Field, isPerson } from '../../../lib/fields/field.ts'
import { choiceWords } from '../../../lib/fields/format-value.ts'
import { completeFilter, type FilterNode } from '../../../lib/filters/filter.ts'
import { parseSorts } from '../query/sort.ts'
import type { ViewShape } from '../use-grid-view.ts'

/** Keys of the order that a page follows; the server has the same limit. */
const SORTS_MAX = 3

/** What the page of a link shows, or the fields for which it cannot be made. */
export type SharedView =
  | { readonly kind: 'definition'; readonly definition: object }
  | { readonly kind: 'impossible'; readonly fields: readonly string[] }

/** Whether a field can be shown: more than an id. */
export function canBeShared(field: Field): boolean {
  return field.column.type !== 'uuid' || (field.link !== undefined && field.computed === undefined)
}

/** Whether a field is chosen at first: shown in the view, and not about people. */
export function isSharedAtFirst(field: Field, shown: readonly Field[]): boolean {
  return canBeShared(field) && shown.some(({ name }) => name === field.name) && !isPersonal(field)
}

function isPersonal(field: Field): boolean {
  return isPerson(field) || ['email', 'phone'].includes(field.kind)
}

const columnOf = ({ name, column }: Field): string => column.column ?? name

/** Describes a view for `holdfast.create_view_link`: columns by their names in Postgres. */
export function sharedViewOf(
  { filter, settings }: Pick<ViewShape, 'filter' | 'settings'>,
  fields: readonly Field[],
  chosen: readonly Field[],
  schema: SchemaDescriptor,
): SharedView {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const used = new Map<string, Field>()
  const use = (name: string): string => {
    const field = byName.get(name)
    if (!field) return name
    used.set(name, field)
    return columnOf(field)
  }
  const render = (node: FilterNode): object =>
    node.kind === 'condition'
      ? { kind: node.kind, field: use(node.field), operator: node.operator, values: node.values }
      : { kind: node.kind, nodes: node.nodes.map(render) }
  const rendered = render(completeFilter(filter, byName))
  const sort = parseSorts(settings.sort)
    .filter(({ field }) => byName.has(field))
    .slice(0, SORTS_MAX)
    .map(({ field, isDescending }) => ({ field: use(field), isDescending }))
  const impossible = [...used.values()].filter((field) => !canBeShared(field))
  if (impossible.length > 0) return { kind: 'impossible', fields: impossible.map(({ label }) => label) }
  const titles = [...chosen, ...used.values()].flatMap((field) => {
    const title = field.link?.titleColumn
    const target = schema.tables.find(({ name }) => name === field.link?.table)
    const column = target?.columns.find(({ name }) => name === title)
    return column ? [[columnOf(field), column.column ?? column.name]] : []
  })
  const shown = chosen.map((field) => ({
    field: columnOf(field),
    label: field.label,
    ...(field.choices.length > 0 && {
      choices: Object.fromEntries(field.choices.map((choice) => [choice, choiceWords(choice, field.choiceWords)])),
    }),
  }))
  return {
    kind: 'definition',
    definition: { fields: shown, titles: Object.fromEntries(titles), filter: rendered, sort },
  }
}
