import type { Field } from '../../../lib/fields/field.ts'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import { parseFilter, renderFilter } from '../../../lib/filters/filter-text.ts'

export const ROW_HEIGHTS = ['compact', 'medium', 'tall'] as const
export type RowHeight = (typeof ROW_HEIGHTS)[number]

export const TONES = ['danger', 'warning', 'success', 'info'] as const
/** The meaning of a colour. */
export type Tone = (typeof TONES)[number]

/** Marks records that match a filter, or one of their values. */
export interface ColorRule {
  readonly tone: Tone
  /** `undefined`: the whole record. */
  readonly field: string | undefined
  readonly filter: FilterGroup
}

export const FROZEN_MAX = 5
export const RULES_MAX = 8
export const COLUMN_MIN_PX = 60
export const COLUMN_MAX_PX = 800

export function parseHeight(text: string | undefined): RowHeight | undefined {
  return ROW_HEIGHTS.find((height) => height === text)
}

/** Parses the number of frozen columns. `undefined`: as many as the window allows. */
export function parseFrozen(text: string | undefined): number | undefined {
  return text !== undefined && /^\d$/.test(text) ? Math.min(FROZEN_MAX, Number(text)) : undefined
}

/** Parses `title.320,due_on.140`: pixels by field. */
export function parseWidths(text: string | undefined): ReadonlyMap<string, number> {
  const parts = (text ?? '').split(',').flatMap((part) => {
    const [, name, width] = /^(.+)\.(\d{1,4})$/.exec(part) ?? []
    return name === undefined ? [] : [[name, clampWidth(Number(width))] as const]
  })
  return new Map(parts)
}

export function renderWidths(widths: ReadonlyMap<string, number>): string | undefined {
  if (widths.size === 0) return undefined
  return [...widths].map(([name, width]) => `${name}.${clampWidth(width)}`).join(',')
}

export function clampWidth(width: number): number {
  return Math.round(Math.min(COLUMN_MAX_PX, Math.max(COLUMN_MIN_PX, width)))
}

/** Parses `due_on,title` and moves these fields to the front in this order; the others keep theirs. */
export function orderFields(fields: readonly Field[], text: string | undefined): readonly Field[] {
  if (text === undefined) return fields
  const order = text.split(',')
  const rank = ({ name }: Field): number => (order.includes(name) ? order.indexOf(name) : order.length)
  return fields.toSorted((a, b) => rank(a) - rank(b))
}

/** Returns the setting after a field moved by a number of positions. */
export function moveField(fields: readonly Field[], name: string, step: number): string {
  const names = fields.map((field) => field.name)
  const from = names.indexOf(name)
  const to = Math.min(names.length - 1, Math.max(0, from + step))
  names.splice(to, 0, ...names.splice(from, 1))
  return names.join(',')
}

/** Parses `danger:all(due_on.before.today),warning@state:any(state.in.blocked)`: a tone, optionally a field, and a filter. */
export function parseRules(text: string | undefined): readonly ColorRule[] {
  return splitRules(text ?? '')
    .slice(0, RULES_MAX)
    .flatMap((part) => {
      const [, word, field, filter] = /^(\w+)(?:@([^:]+))?:(.*)$/s.exec(part) ?? []
      const tone = TONES.find((one) => one === word)
      return tone === undefined ? [] : [{ tone, field, filter: parseFilter(filter) }]
    })
}

export function renderRules(rules: readonly ColorRule[]): string | undefined {
  if (rules.length === 0) return undefined
  return rules
    .map(({ tone, field, filter }) => `${tone}${field === undefined ? '' : `@${field}`}:${renderFilter(filter) ?? ''}`)
    .join(',')
}

/** Splits at top-level commas: those outside filters. A character after `!` belongs to a value. */
function splitRules(text: string): readonly string[] {
  const parts: string[] = []
  let [depth, from] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '!') at += 1
    else if (sign === '(') depth += 1
    else if (sign === ')') depth -= 1
    else if (sign === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}
