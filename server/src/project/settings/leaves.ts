type Table = Readonly<Record<string, unknown>>

/** One key of `config.toml` with its value. */
export interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Tables whose keys are names that the project chose, with one value each. */
const VALUES = new Set(['auth.sms.test_otp'])

/** Sections that are settings whatever `enabled` says. */
const SECTIONS = new Set(['auth', 'api', 'db', 'storage', 'realtime', 'edge_runtime'])

/** Tables that count only with `enabled = true`; others count unless it is false. */
const NEEDS_ENABLED = /^auth\.(?:hook\.\w+|sms\.(?!test_otp)\w+)$/

/** Every key of the tables. Of a table that is turned off there is `enabled` only, and nothing if `enabled` is no key of its own ({@link hasSwitch}). */
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
