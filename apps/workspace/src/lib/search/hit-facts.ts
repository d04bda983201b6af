import type { SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import type { TableInfo } from '../data/tables.ts'
import { type Field, fieldsOf, isPerson } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'
import { labelSql } from '../fields/label-sql.ts'
import { positionOf } from '../fields/located-tables.ts'
import { quoteName } from '../sql.ts'

/** Fields that tell records with equal titles apart. */
export interface HitFacts {
  /** A link, to a place if there is one. */
  readonly link: Field | undefined
  readonly state: Field | undefined
}

/** Cached per table, because every keystroke of a search asks. */
const known = new WeakMap<TableDescriptor, HitFacts>()

export function hitFactsOf({ descriptor }: TableInfo, schema: SchemaDescriptor): HitFacts {
  const facts = known.get(descriptor) ?? findFacts(descriptor, schema)
  known.set(descriptor, facts)
  return facts
}

function findFacts(table: TableDescriptor, schema: SchemaDescriptor): HitFacts {
  const fields = fieldsOf(table, schema).filter(({ computed }) => computed === undefined)
  const links = fields.filter((field) => field.link?.titleColumn !== undefined && !isPerson(field) && !field.isTitle)
  const located = schema.tables.filter((other) => positionOf(other) !== undefined)
  // A finding at a site has a position, but is no place.
  const isPlace = ({ link }: Field): boolean =>
    located
      .find((other) => other.name === link?.table)
      ?.columns.every(({ references }) => !located.some((other) => other.name === references?.table)) ?? false
  return {
    link: links.find(isPlace) ?? links[0],
    state: fields.find(({ use }) => use === 'state'),
  }
}

/** Returns SQL expressions for the link's title and the state, over the table named `t`. */
export function factColumns({ link, state }: HitFacts): readonly [link: string, state: string] {
  return [link ? labelSql(link, `t.${quoteName(link.name)}`) : 'null', state ? `t.${quoteName(state.name)}` : 'null']
}

/** Returns the facts of a hit as text, such as `Elm Road · Open`. Empty if there are none. */
export function factWords(
  { state }: HitFacts,
  hit: { readonly link: string | number | null; readonly state: string | number | null },
): string {
  const words = hit.state === null ? undefined : choiceWords(String(hit.state), state?.choiceWords)
  return [hit.link, words].filter((part) => part !== null && part !== undefined && part !== '').join(' · ')
}
