import type { OptionDeclaration } from '@holdfast/foundation'
import { isTable } from './leaves.ts'

const DURATION = /^(?:\d+(?:\.\d+)?(?:h|m|s|ms))+$/
const SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 }

/**
 * Converts a value of `config.toml` to an option's config file form: durations to seconds, tables of values to `key=value`. Returns other values unchanged for
 * later validation.
 */
export function toOptionValue(declaration: OptionDeclaration, value: unknown): unknown {
  switch (declaration.type) {
    case 'string':
      return typeof value === 'number' ? String(value) : value
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value
    case 'integer':
      return typeof value === 'string' ? toNumber(value) : value
    case 'list':
      return toList(value)
    case 'object':
      return value
  }
}

/** Parses `1h30m` into seconds, rounded up. */
function toNumber(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text)
  if (!DURATION.test(text)) return text
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)
  return Math.ceil([...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (SECONDS[unit ?? ''] ?? 0), 0))
}

function toList(value: unknown): unknown {
  if (isTable(value)) return Object.entries(value).map(([key, one]) => `${key}=${String(one)}`)
  const items = typeof value === 'string' ? value.split(',') : value
  return Array.isArray(items)
    ? items.map((one: unknown) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '')
    : items
}
