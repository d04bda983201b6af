import type { Field } from '../../../lib/fields/field.ts'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import { parseFilter, renderFilter } from '../../../lib/filters/filter-text.ts'

export const ROW_HEIGHTS = ['compact', 'medium', 'tall'] as const
export type RowHeight = (typeof ROW_HEIGHTS)[number]

export const TONES = ['danger', 'warning', 'success', 'info'] as const
/** What a colour means. */
export type Tone = (typeof TONES)[number]

/** Marks the records that fit a filter, or one of their values. */
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

/** How many columns stay in sight at the left; `undefined`: as the width of the window allows. */
export function parseFrozen(text: string | undefined): number | undefined {
  return text !== undefined && /^\d$/.test(text) ? Math.min(FROZEN_MAX, Number(text)) : undefined
}

/** `title.320,due_on.140`: pixels by field. */
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

/** `due_on,title`: these fields come first, in this order; the others follow in theirs. */
export function orderFields(fields: readonly Field[], text: string | undefined): readonly Field[] {
  if (text === undefined) return fields
  const order = text.split(',')
  const rank = ({ name }: Field): number => (order.includes(name) ? order.indexOf(name) : order.length)
  return fields.toSorted((a, b) => rank(a) - rank(b))
}

/** The text after a field was moved by some places. */
export function moveField(fields: readonly Field[], name: string, step: number): string {
  const names = fields.map((field) => field.name)
  const from = names.indexOf(name)
  const to = Math.min(names.length - 1, Math.max(0, from + step))
  names.splice(to, 0, ...names.splice(from, 1))
  return names.join(',')
}

/** `danger:all(due_on.before.today),warning@state:any(state.in.blocked)`: a tone, the field if it is for one, and a filter. */
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

/** Splits at the commas that are in no filter; a sign with `!` before it is part of a value. */
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
