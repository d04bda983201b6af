import { Plus, X } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Button } from '../button.tsx'
import { IconButton } from '../icon-button.tsx'
import { Select } from '../select.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { filterMessages as words } from '../../messages/filter.ts'
import { gridMessages } from '../../messages/grid.ts'
import {
  type Condition,
  CONDITIONS_MAX,
  countConditions,
  type FilterGroup,
  type FilterNode,
  NESTING_MAX,
  NO_FILTER,
  operatorsOf,
} from '../../lib/filters/filter.ts'
import { ConditionValue } from './condition-value.tsx'

/** The conditions of a filter, in groups that match if all or any of their conditions match. */
export function FilterForm({ fields, filter, none = words.noConditions, onChange }: FilterProps): JSX.Element {
  const count = countConditions(filter)
  return (
    <>
      {filter.nodes.length === 0 ? <p className="pb-3 text-body text-muted">{none}</p> : null}
      <GroupForm fields={fields} filter={filter} onChange={onChange} depth={1} left={CONDITIONS_MAX - count}>
        {filter.nodes.length > 0 ? (
          <Button size="sm" tone="quiet" onPress={() => onChange(NO_FILTER)}>
            {gridMessages.clearFilters}
          </Button>
        ) : null}
      </GroupForm>
    </>
  )
}

export interface FilterProps {
  readonly fields: readonly Field[]
  readonly filter: FilterGroup
  /** Text of a filter without conditions. */
  readonly none?: string
  readonly onChange: (filter: FilterGroup) => void
}

/** One group: its conditions, nested groups and buttons to add more. */
function GroupForm({
  fields,
  filter,
  onChange,
  depth,
  left,
  children,
}: FilterProps & {
  /** 1 for the filter itself. */
  readonly depth: number
  /** Conditions that can still be added to the whole filter. */
  readonly left: number
  /** Rendered beside the buttons that add conditions. */
  readonly children?: ReactNode
}): JSX.Element {
  const first = firstField(fields)
  const add = (node: FilterNode): void => onChange({ ...filter, nodes: [...filter.nodes, node] })
  return (
    <>
      {filter.nodes.length === 0 ? null : (
        <div className="pb-3">
          <Select
            label={words.match}
            isLabelHidden={depth > 1}
            className="w-44"
            value={filter.kind}
            options={[
              { value: 'all', label: words.matchAll },
              { value: 'any', label: words.matchAny },
            ]}
            onChange={(kind) => onChange({ ...filter, kind: kind === 'any' ? 'any' : 'all' })}
          />
        </div>
      )}
      <NodeList {...{ fields, filter, onChange, depth, left }} />
      <div className="flex flex-wrap items-center gap-2 pt-3">
        {first && left > 0 ? (
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onPress={() => add(emptyCondition(first))}>
            {words.addCondition}
          </Button>
        ) : (
          <p className="text-small text-muted">{words.conditionsFull}</p>
        )}
        {first && left > 0 && depth < NESTING_MAX ? (
          <Button
            size="sm"
            tone="quiet"
            icon={<Plus size={14} aria-hidden />}
            onPress={() => add({ kind: filter.kind === 'all' ? 'any' : 'all', nodes: [emptyCondition(first)] })}
          >
            {words.addGroup}
          </Button>
        ) : null}
        {children}
      </div>
    </>
  )
}

function NodeList({
  fields,
  filter,
  onChange,
  depth,
  left,
}: FilterProps & { readonly depth: number; readonly left: number }): JSX.Element {
  const replace = (index: number, node: FilterNode | undefined): void =>
    onChange({ ...filter, nodes: filter.nodes.flatMap((old, at) => (at !== index ? [old] : node ? [node] : [])) })
  return (
    <ul className="flex flex-col gap-2">
      {filter.nodes.map((node, index) => (
        <li
          key={index}
          className="flex flex-wrap items-start gap-2 rounded-md border border-border p-2 laptop:flex-nowrap laptop:border-0 laptop:p-0"
        >
          {node.kind === 'condition' ? (
            <ConditionRow condition={node} fields={fields} onChange={(next) => replace(index, next)} />
          ) : (
            <div
              role="group"
              aria-label={words.group}
              className="min-w-0 flex-1 basis-full rounded-md border border-border bg-surface p-2 laptop:basis-0"
            >
              <GroupForm
                fields={fields}
                filter={node}
                onChange={(next) => replace(index, next.nodes.length === 0 ? undefined : next)}
                depth={depth + 1}
                left={left}
              />
            </div>
          )}
          <IconButton
            label={node.kind === 'condition' ? words.removeCondition : words.removeGroup}
            icon={<X size={16} aria-hidden />}
            className="ml-auto"
            onPress={() => replace(index, undefined)}
          />
        </li>
      ))}
    </ul>
  )
}

/** Returns a filter with a likely first condition. */
export function emptyFilter(fields: readonly Field[]): FilterGroup {
  const first = firstField(fields)
  return { kind: 'all', nodes: first ? [emptyCondition(first)] : [] }
}

function firstField(fields: readonly Field[]): Field | undefined {
  return fields.find(({ kind }) => kind === 'choice') ?? fields[0]
}

function emptyCondition(field: Field): Condition {
  return { kind: 'condition', field: field.name, operator: operatorsOf(field)[0] ?? 'filled', values: [] }
}

function ConditionRow({
  condition,
  fields,
  onChange,
}: {
  readonly condition: Condition
  readonly fields: readonly Field[]
  readonly onChange: (condition: Condition) => void
}): JSX.Element {
  const field = fields.find(({ name }) => name === condition.field)
  if (!field)
    return (
      <p className="min-w-0 flex-1 self-center text-small [overflow-wrap:anywhere] text-danger">
        {words.gone(condition.field)}
      </p>
    )
  return (
    <>
      <Select
        label={words.field}
        isLabelHidden
        className="w-40 shrink-0"
        value={condition.field}
        options={fields.map(({ name, label }) => ({ value: name, label }))}
        onChange={(name) => {
          const next = fields.find((one) => one.name === name)
          if (next) onChange(emptyCondition(next))
        }}
      />
      <Select
        label={words.operator}
        isLabelHidden
        className="w-40 shrink-0"
        value={condition.operator}
        options={operatorsOf(field).map((operator) => ({
          value: operator,
          label: words.operators[operator],
        }))}
        onChange={(name) => {
          const operator = operatorsOf(field).find((one) => one === name)
          if (operator) onChange({ ...condition, operator })
        }}
      />
      <ConditionValue condition={condition} field={field} onChange={onChange} />
    </>
  )
}
