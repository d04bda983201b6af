import type { PolicyCatalog } from './policy-catalog.ts'

/** Recorded catalog lookups and their results as text. Equal texts mean equal results. */
export type Lookups = ReadonlyMap<string, string>

type Method = Exclude<keyof PolicyCatalog, 'input'>

const METHODS: readonly Method[] = [
  'table',
  'type',
  'typeNamed',
  'functions',
  'operators',
  'cast',
  'castsTo',
  'role',
  'policiesOf',
  'tableOfType',
  'localName',
]

/** A catalog that records lookups. Direct reads of its `input` are not recorded. */
export interface RecordedCatalog {
  readonly catalog: PolicyCatalog
  /** Starts a new record. */
  begin(): void
  readonly lookups: Lookups
}

/** @returns a catalog with the same results that records lookups */
export function recordCatalog(catalog: PolicyCatalog): RecordedCatalog {
  let lookups = new Map<string, string>()
  const record =
    (method: Method) =>
    (...args: readonly never[]): unknown => {
      const found = (catalog[method] as (...args: readonly unknown[]) => unknown)(...args)
      const key = lookupKey(method, args)
      if (!lookups.has(key)) lookups.set(key, textOf(found))
      return found
    }
  const recorded = Object.fromEntries(METHODS.map((method) => [method, record(method)]))
  return {
    catalog: { input: catalog.input, ...(recorded as unknown as Omit<PolicyCatalog, 'input'>) },
    begin: () => (lookups = new Map()),
    get lookups() {
      return lookups
    },
  }
}

/** Whether a catalog gives the same results as a recorded one. */
export function answersAlike(catalog: PolicyCatalog, lookups: Lookups): boolean {
  for (const [key, text] of lookups) {
    const [method, ...args] = JSON.parse(key) as [Method, ...unknown[]]
    const found = (catalog[method] as (...args: readonly unknown[]) => unknown)(...args)
    if (textOf(found) !== text) return false
  }
  return true
}

function lookupKey(method: Method, args: readonly unknown[]): string {
  return JSON.stringify([method, ...args])
}

/** Texts of immutable input parts, which are looked up often. */
const texts = new WeakMap<object, string>()

function textOf(found: unknown): string {
  if (typeof found !== 'object' || found === null) return String(found)
  if (Array.isArray(found)) return found.map(textOf).join()
  const known = texts.get(found)
  if (known !== undefined) return known
  const text = JSON.stringify(found)
  texts.set(found, text)
  return text
}
