type Table = Readonly<Record<string, unknown>>

/** A key of `config.toml` and its value. */
export interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Tables whose keys are chosen by the project, each with a single value. */
const VALUES = new Set(['auth.sms.test_otp'])

/** Sections that apply regardless of `enabled`. */
const SECTIONS = new Set(['auth', 'api', 'db', 'storage', 'realtime', 'edge_runtime'])

/** Tables that apply only with `enabled = true`; others apply unless it is false. */
const NEEDS_ENABLED = /^auth\.(?:hook\.\w+|sms\.(?!test_otp)\w+)$/

/** Yields every key of the tables. A disabled table yields only `enabled`, or nothing if `enabled` is not a setting ({@link hasSwitch}). */
export function* leavesOf(
  table: Table,
  hasSwitch: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): Generator<Leaf> {
  const enabled = [...path, 'enabled']
  if (isOff(path.join('.'), table['enabled'])) {
    if (hasSwitch(enabled)) yield { path: enabled, value: false }
    return
  }
  for (const [name, value] of Object.entries(table)) {
    const here = [...path, name]
    if (isTable(value) && !VALUES.has(here.join('.'))) yield* leavesOf(value, hasSwitch, here)
    else yield { path: here, value }
  }
}

export function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function isOff(name: string, enabled: unknown): boolean {
  if (SECTIONS.has(name)) return false
  return enabled === false || enabled === 'false' || (NEEDS_ENABLED.test(name) && enabled === undefined)
}
