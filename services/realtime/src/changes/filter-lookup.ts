import type { Condition, Filter } from './filter.ts'
import type { TableInfo } from './table-info.ts'

/** Canonical JSON form of filter values, for types whose equal values print alike. `undefined` if the text is not canonical. */
const PRINTED: Readonly<Record<string, (text: string) => string | undefined>> = {
  uuid: (text) =>
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? JSON.stringify(text.toLowerCase()) : undefined,
  int2: integer,
  int4: integer,
  int8: integer,
  text: (text) => text,
  varchar: (text) => text,
  bool: (text) => (text === 'true' || text === 'false' ? text : undefined),
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar'])

function integer(text: string): string | undefined {
  return /^(0|-?[1-9]\d{0,17})$/.test(text) ? text : undefined
}

interface Filtered {
  readonly filter: Filter | undefined
}

/** Result of matching a row against a table's filters. */
interface FoundFilters<Group> {
  /** Filters the row passes. */
  readonly passed: Set<Group>
  /** Filters that Postgres must evaluate. */
  readonly open: Set<Group>
}

/**
 * The filters on one table. Equality filters on columns with canonical values are found by hash lookup, however many there are; all others are evaluated for
 * every row.
 */
export class FilterLookup<Group extends Filtered> {
  readonly #types: ReadonlyMap<string, string>
  readonly #positions: ReadonlyMap<string, number>
  readonly #unfiltered = new Set<Group>()
  readonly #others = new Set<Group>()
  readonly #byColumn = new Map<string, Map<string, Set<Group>>>()

  constructor({ columns }: Pick<TableInfo, 'columns'>) {
    this.#types = new Map(columns.flatMap(({ name, type, isComparable }) => (isComparable ? [[name, type]] : [])))
    this.#positions = new Map(columns.map(({ name }, position) => [name, position]))
  }

  add(group: Group): void {
    if (!group.filter) this.#unfiltered.add(group)
    else {
      const place = this.#placeOf(group.filter)
      if (!place) this.#others.add(group)
      for (const value of place?.values ?? []) this.#at(place?.column ?? '', value).add(group)
    }
  }

  remove(group: Group): void {
    this.#unfiltered.delete(group)
    this.#others.delete(group)
    const place = group.filter && this.#placeOf(group.filter)
    for (const value of place?.values ?? []) {
      const values = this.#byColumn.get(place?.column ?? '')
      const groups = values?.get(value)
      groups?.delete(group)
      if (groups?.size === 0) values?.delete(value)
      if (values?.size === 0) this.#byColumn.delete(place?.column ?? '')
    }
  }

  /** @param cells - JSON of each column of a row */
  find(cells: readonly string[]): FoundFilters<Group> {
    const passed = new Set(this.#unfiltered)
    const open = new Set(this.#others)
    for (const [column, values] of this.#byColumn) {
      const cell = cells[this.#positions.get(column) ?? -1]
      if (cell === undefined || cell === 'null') continue
      const value = TEXTS.has(this.#types.get(column) ?? '') ? (JSON.parse(cell) as string) : cell
      for (const group of values.get(value) ?? []) {
        if (group.filter?.conditions.length === 1) passed.add(group)
        else open.add(group)
      }
    }
    return { passed, open }
  }

  #at(column: string, value: string): Set<Group> {
    const values = this.#byColumn.get(column) ?? new Map<string, Set<Group>>()
    this.#byColumn.set(column, values)
    const groups = values.get(value) ?? new Set()
    values.set(value, groups)
    return groups
  }

  /** Returns the first condition usable for lookup. */
  #placeOf({ conditions }: Filter): { readonly column: string; readonly values: readonly string[] } | undefined {
    for (const condition of conditions) {
      const values = this.#valuesOf(condition)
      if (values) return { column: condition.column, values }
    }
    return undefined
  }

  #valuesOf({ column, isNegated, operator, values }: Condition): readonly string[] | undefined {
    const print = PRINTED[this.#types.get(column) ?? '']
    if (isNegated || (operator !== 'eq' && operator !== 'in') || !print) return undefined
    const printed = values.map(print)
    return printed.every((value) => value !== undefined) ? printed : undefined
  }
}
