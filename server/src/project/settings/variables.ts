import { isTable } from './leaves.ts'

const REFERENCE = /^env\((\w+)\)$/

/** Placeholder for `env(NAME)` if the variable is not set. */
export class UnsetVariable {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Replaces `env(NAME)` in all values, at any depth. */
export function insertVariables(value: unknown, find: (name: string) => string | undefined): unknown {
  if (typeof value === 'string') {
    const name = REFERENCE.exec(value.trim())?.[1]
    return name === undefined ? value : (find(name) ?? new UnsetVariable(name))
  }
  if (Array.isArray(value)) return value.map((one) => insertVariables(one, find))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, insertVariables(one, find)]))
}
