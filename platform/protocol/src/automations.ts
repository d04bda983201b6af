import { isRecord, type JsonObject } from './plain-values.ts'

/** A comparison of one field with constants, as in access rules. */
export interface AutomationCondition {
  readonly field: string
  readonly is:
    | 'one_of'
    | 'none_of'
    | 'empty'
    | 'filled'
    | 'contains'
    | 'more_than'
    | 'at_least'
    | 'less_than'
    | 'at_most'
  /** One value, except for `one_of` and `none_of`. A day can be `today`, `today+7` or `today-7`. */
  readonly values?: readonly string[]
  /** Time zone of `today`; default UTC. */
  readonly zone?: string
}

/** All of the elements are required, and one of `any`. */
export type AutomationConditions = readonly (AutomationCondition | { readonly any: readonly AutomationCondition[] })[]

/** What starts an automation. In `from` and `to`, an empty text stands for no value. */
export type AutomationTrigger =
  | { readonly kind: 'added'; readonly table: string }
  | {
      readonly kind: 'changed'
      readonly table: string
      /** Default: any field. */
      readonly field?: string
      readonly from?: readonly string[]
      readonly to?: readonly string[]
    }
  | { readonly kind: 'form'; readonly table: string; readonly form?: string }
  | {
      readonly kind: 'due'
      readonly table: string
      /** A date. */
      readonly field: string
      /** Days before the date; negative for days after it. */
      readonly days: number
      /** Time of day in the workspace, `HH:MM`. */
      readonly at: string
    }
  | AutomationSchedule

/** Starts an automation by the clock of the workspace. */
export interface AutomationSchedule {
  readonly kind: 'schedule'
  readonly table: string
  readonly every: 'day' | 'week' | 'month'
  /** `HH:MM` */
  readonly at: string
  /** With `week`: from 1, Monday, to 7. */
  readonly weekdays?: readonly number[]
  /** With `month`; 31 is the last day of shorter months. */
  readonly day?: number
  /** Runs for each record that meets the conditions, or once if there is one. */
  readonly for: 'each' | 'once'
}

/** Texts by field, with placeholders; `null` empties the field. */
export type AutomationValues = Readonly<Record<string, string | null>>

export type AutomationStep =
  | { readonly kind: 'update'; readonly set: AutomationValues }
  | { readonly kind: 'create'; readonly table: string; readonly set: AutomationValues }
  | {
      readonly kind: 'notify'
      /** `admins`, `creator`, `member:<id>`, or `field:<name>` for a field that links to members. */
      readonly to: readonly string[]
      readonly text: string
      /** Also on their devices. */
      readonly push?: boolean
    }
  | {
      readonly kind: 'assign'
      /** A field that links to members. */
      readonly field: string
      /** `creator`, `member:<id>`, or `field:<name>`. */
      readonly to: string
    }
  | {
      readonly kind: 'mail'
      /** As of `notify`, or `email:<address>`, which only owners enter. */
      readonly to: readonly string[]
      readonly subject: string
      readonly text: string
    }
  | {
      readonly kind: 'webhook'
      readonly url: string
      /** Name of a header whose value is a secret. */
      readonly header?: string
      readonly text?: string
    }
  | { readonly kind: 'function'; readonly name: string; readonly text?: string }

/** An automation as `holdfast.save_automation` takes it; the database judges whether it is valid. */
export interface AutomationConfig {
  readonly when: AutomationTrigger
  readonly if?: AutomationConditions
  readonly do: readonly AutomationStep[]
}

/** Parses a stored automation. @returns `undefined` for one of a later version with parts that are unknown here */
export function parseAutomation(given: unknown): AutomationConfig | undefined {
  const value: unknown = typeof given === 'string' ? parseText(given) : given
  if (!isRecord(value) || !isRecord(value['when']) || !Array.isArray(value['do'])) return undefined
  const isKnown =
    TRIGGERS.has(String(value['when']['kind'])) &&
    value['do'].every((step: unknown) => isRecord(step) && STEPS.has(String(step['kind'])))
  return isKnown ? (value as unknown as AutomationConfig) : undefined
}

const TRIGGERS: ReadonlySet<string> = new Set<AutomationTrigger['kind']>([
  'added',
  'changed',
  'form',
  'due',
  'schedule',
])
const STEPS: ReadonlySet<string> = new Set<AutomationStep['kind']>([
  'update',
  'create',
  'notify',
  'assign',
  'mail',
  'webhook',
  'function',
])

function parseText(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

const PLACEHOLDER = /\{([^{}]*)\}/g

/** What placeholders stand for. */
export interface TemplateValues {
  /** Texts of the record's fields. */
  readonly record: Readonly<Record<string, string | null>>
  /** The day in the workspace, `YYYY-MM-DD`. */
  readonly today: string
  /** The time, in ISO 8601. */
  readonly now: string
  /** The number of records that meet the conditions, for a run without a record. */
  readonly count?: number
}

/**
 * Fills in placeholders: `{field}`, `{today}`, `{today+7}`, `{now}`, `{count}`. A text that is nothing but one placeholder keeps `null`, so that a field can be copied empty.
 */
export function renderTemplate(template: string, values: TemplateValues): string | null {
  const [only] = /^\{[^{}]*\}$/.exec(template) ?? []
  if (only !== undefined) return valueOf(only.slice(1, -1), values)
  return template.replaceAll(PLACEHOLDER, (_, name: string) => valueOf(name, values) ?? '')
}

function valueOf(name: string, { record, today, now, count }: TemplateValues): string | null {
  if (name === 'now') return now
  if (name === 'count' && count !== undefined) return String(count)
  const [isDay, offset = '0'] = /^today([+-]\d{1,4})?$/.exec(name) ?? []
  if (isDay === undefined) return record[name] ?? null
  const day = new Date(`${today}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() + Number(offset))
  return day.toISOString().slice(0, 10)
}

/** Returns the names in the placeholders of a text. */
export function placeholdersOf(template: string): readonly string[] {
  return Array.from(template.matchAll(PLACEHOLDER), ([, name = '']) => name)
}

/** Replaces the names in placeholders, for a text that shows labels. Names without a replacement stay. */
export function renamePlaceholders(template: string, rename: (name: string) => string | undefined): string {
  return template.replaceAll(PLACEHOLDER, (found, name: string) => {
    const renamed = rename(name)
    return renamed === undefined ? found : `{${renamed}}`
  })
}
