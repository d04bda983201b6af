import {
  type AutomationConfig,
  type AutomationStep,
  type AutomationTrigger,
  assigneeColumnOf,
  finishedStatesOf,
  renamePlaceholders,
} from '@holdfast/protocol'
import { valuesOf } from '../../lib/fields/condition.ts'
import { type Field, fieldsOf } from '../../lib/fields/field.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import { capitalize } from '../../lib/format.ts'
import type { SchemaDescriptor } from '@holdfast/protocol'

/** A table that automations can work on, with its fields. */
export interface AutomatedTable {
  /** Of the database. */
  readonly name: string
  readonly label: string
  readonly info: TableInfo
  readonly fields: readonly Field[]
}

/** Tables that the workspace created. */
export function automatedTables(
  tables: readonly TableInfo[],
  schema: SchemaDescriptor,
  workspace: string,
): readonly AutomatedTable[] {
  return tables
    .filter(({ madeIn }) => madeIn === workspace)
    .map((info) => ({
      name: info.descriptor.table,
      label: info.label,
      info,
      fields: fieldsOf(info.descriptor, schema).filter(({ isSystem }) => !isSystem),
    }))
}

/** Fields that a step can set. */
export function settableFields({ fields }: AutomatedTable): readonly Field[] {
  return fields.filter(({ isEditable }) => isEditable)
}

/** A text as the user reads it: with labels in braces. */
export function showTemplate(text: string, { fields }: AutomatedTable): string {
  return renamePlaceholders(text, (name) => fields.find((field) => field.name === name)?.label)
}

/** A typed text as it is stored: with names in braces. */
export function readTemplate(text: string, { fields }: AutomatedTable): string {
  return renamePlaceholders(
    text,
    (label) => fields.find((field) => field.label.toLowerCase() === label.trim().toLowerCase())?.name,
  )
}

/** The trigger after the user has chosen another event or table. */
export function triggerOf(kind: AutomationTrigger['kind'], table: AutomatedTable): AutomationTrigger {
  if (kind === 'schedule') return { kind, table: table.name, every: 'week', weekdays: [1], at: '08:00', for: 'each' }
  if (kind !== 'due') return { kind, table: table.name }
  const days = daysOf(table)
  return {
    kind,
    table: table.name,
    field: (days.find(({ use }) => use === 'due') ?? days[0])?.name ?? '',
    days: 1,
    at: '08:00',
  }
}

/** Whether runs have no record. */
export function isWithoutRecord({ when }: AutomationConfig): boolean {
  return when.kind === 'schedule' && when.for === 'once'
}

/** After a change of the trigger: without steps that need a record, if runs have none any more. */
export function withTrigger(
  config: AutomationConfig,
  when: AutomationTrigger,
  table: AutomatedTable,
): AutomationConfig {
  const changed = { ...config, when }
  if (!isWithoutRecord(changed) || isWithoutRecord(config)) return changed
  const step = { kind: 'notify', to: ['admins'], text: words.texts.count(table.label) } as const
  return { ...changed, do: [step] }
}

/** Fields that records can be due by. */
export function daysOf({ fields }: AutomatedTable): readonly Field[] {
  return fields.filter(({ kind, computed }) => !computed && (kind === 'date' || kind === 'datetime'))
}

/** Fields that link to members. */
export function memberFields(table: AutomatedTable): readonly Field[] {
  return settableFields(table).filter(({ link }) => link?.table === 'hf_members')
}

/** A step with which the user begins. */
export function newStep(kind: AutomationStep['kind'], table: AutomatedTable, hasNoRecord = false): AutomationStep {
  const text = hasNoRecord ? words.texts.count(table.label) : titleOf(table)
  if (kind === 'notify') return { kind, to: ['admins'], text }
  if (kind === 'mail') return { kind, to: ['admins'], subject: text, text }
  if (kind === 'webhook') return { kind, url: '' }
  if (kind === 'function') return { kind, name: '' }
  if (kind === 'assign') return { kind, field: memberFields(table)[0]?.name ?? '', to: 'creator' }
  const [first] = settableFields(table)
  const set = first ? { [first.name]: startValue(first) } : {}
  return kind === 'update' ? { kind, set } : { kind, table: table.name, set }
}

/** The value with which the user begins. */
export function startValue(field: Field): string | null {
  return valuesOf(field)[0]?.value ?? null
}

function titleOf({ fields }: AutomatedTable): string {
  const title = fields.find(({ isTitle }) => isTitle) ?? fields[0]
  return title ? `{${title.name}}` : ''
}

/** Without what belongs to another table: conditions and steps that name its fields. */
export function moveToTable(config: AutomationConfig, table: AutomatedTable): AutomationConfig {
  const { if: _conditions, when, ...rest } = config
  const kind = when.kind === 'due' && daysOf(table).length === 0 ? 'added' : when.kind
  return {
    ...rest,
    when: when.kind === 'schedule' ? { ...when, table: table.name } : triggerOf(kind, table),
    do: [newStep('notify', table, isWithoutRecord(config))],
  }
}

export interface Recipe {
  readonly id: string
  readonly name: string
  readonly config: AutomationConfig
}

/** Examples that fit the tables of the workspace, one of each kind. */
export function recipesFor(tables: readonly AutomatedTable[]): readonly Recipe[] {
  const found = new Map<string, Recipe>()
  for (const table of tables)
    for (const recipe of recipesOf(table)) if (!found.has(recipe.id)) found.set(recipe.id, recipe)
  return [...found.values()]
}

/** Names of the day on which something was done. */
const DONE = /done|finish|complet|closed|erledigt|abgeschlossen|fertig/i

/** Returns the value of done work: the first finished state, otherwise the last value. */
function doneOf(state: Field): { readonly value: string; readonly label: string } | undefined {
  const values = valuesOf(state)
  const found = finishedStatesOf(state.column).map((name) => values.find(({ value }) => value.toLowerCase() === name))
  return found.find((value) => value !== undefined) ?? values.at(-1)
}

function recipesOf(table: AutomatedTable): readonly Recipe[] {
  const { name, fields, info } = table
  const title = titleOf(table)
  const settable = settableFields(table)
  const assigned = assigneeColumnOf(info.descriptor.columns, 'hf_members')
  const assignee = fields.find(({ column }) => column === assigned)
  const choices = fields.filter(({ kind, choices: all }) => kind === 'choice' && all.length > 1)
  const state = choices.find(({ use }) => use === 'state') ?? choices[0]
  const done = state && doneOf(state)
  const isDone = ({ name: column, label }: Field): boolean => DONE.test(`${column} ${label}`)
  const days = daysOf(table).filter((field) => settable.includes(field))
  const day = days.find(({ use }) => use === 'due') ?? days.find((field) => !isDone(field))
  const doneDay = settable.find((field) => field.kind === 'date' && isDone(field))
  const titleField = settable.find(({ isTitle }) => isTitle)
  const changed =
    state && done ? ({ kind: 'changed', table: name, field: state.name, to: [done.value] } as const) : undefined
  return [
    {
      id: 'news',
      name: words.recipes.news(info.label),
      config: {
        when: { kind: 'added', table: name },
        do: [{ kind: 'notify', to: ['admins'], text: words.texts.news(title) }],
      },
    },
    ...(assignee ? [assignedRecipe(table, assignee)] : []),
    ...(day ? [dueRecipe(table, day, assignee)] : []),
    ...(changed && done && doneDay
      ? [
          {
            id: 'finished',
            name: words.recipes.finished(doneDay.label, done.label),
            config: { when: changed, do: [{ kind: 'update', set: { [doneDay.name]: '{today}' } } as const] },
          },
        ]
      : []),
    ...(changed && done && titleField
      ? [
          {
            id: 'followUp',
            name: words.recipes.followUp(info.label, done.label),
            config: {
              when: changed,
              do: [{ kind: 'create', table: name, set: { [titleField.name]: words.texts.followUp(title) } } as const],
            },
          },
        ]
      : []),
    ...(state && done
      ? [
          {
            id: 'weekly',
            name: words.recipes.weekly(info.label),
            config: {
              when: { kind: 'schedule', table: name, every: 'week', weekdays: [1], at: '08:00', for: 'once' } as const,
              if: [{ field: state.name, is: 'none_of', values: [done.value] } as const],
              do: [{ kind: 'notify', to: ['admins'], text: words.texts.open(info.label) } as const],
            },
          },
        ]
      : []),
    {
      id: 'form',
      name: words.recipes.form(info.label),
      config: {
        when: { kind: 'form', table: name },
        do: [{ kind: 'notify', to: ['admins'], text: words.texts.form(title) }],
      },
    },
  ]
}

function assignedRecipe(table: AutomatedTable, { name: field }: Field): Recipe {
  const { name, info } = table
  return {
    id: 'assigned',
    name: words.recipes.assigned(info.label),
    config: {
      when: { kind: 'changed', table: name, field },
      if: [{ field, is: 'filled' }],
      do: [{ kind: 'notify', to: [`field:${field}`], text: words.texts.assigned(titleOf(table)) }],
    },
  }
}

function dueRecipe(table: AutomatedTable, day: Field, assignee: Field | undefined): Recipe {
  const { name, info } = table
  const title = titleOf(table)
  return {
    id: 'due',
    name: words.recipes.due(info.label, day.label),
    config: {
      when: { kind: 'due', table: name, field: day.name, days: 1, at: '08:00' },
      do: [
        {
          kind: 'notify',
          to: [assignee ? `field:${assignee.name}` : 'admins'],
          text: words.texts.due(title),
        },
      ],
    },
  }
}

/** What starts an automation, in words. */
export function triggerWords({ when }: AutomationConfig, tables: readonly AutomatedTable[]): string {
  const table = tables.find(({ name }) => name === when.table)
  const label = table?.label ?? when.table
  if (when.kind === 'schedule') return words.scheduled(capitalize(words.intervals[when.every]), when.at, label)
  return words.sentence(words.events[when.kind], label)
}
