import type { ClassList } from '../buckets/class-list.ts'
import type { OmittedTable } from '../stream/fit-buckets.ts'
import type { FloodAuthor } from '../stream/omitted-tables.ts'

/** Maximum floods listed by name; others are counted. */
const NAMED_MAX = 3

export interface Floods {
  readonly buckets: readonly (Pick<OmittedTable, 'table' | 'policy' | 'buckets'> & {
    readonly person: string
    readonly authors: readonly FloodAuthor[]
  })[]
  readonly classes: readonly Pick<ClassList, 'table' | 'policy' | 'leftOut' | 'leftOutOf'>[]
}

/** Describes data withheld because a user created too much, for `/health`; `undefined` if none. Details are in `holdfast sync status`. */
export function describeFloods({ buckets, classes }: Floods): string | undefined {
  const all = [
    ...classes.map(({ table, policy, leftOut, leftOutOf }) => {
      const authors = [...leftOutOf.keys()]
      const by = authors.length > 0 ? `, brought by ${named(authors)}` : ''
      return `${leftOut} or more access classes of ${table}${byPolicy(policy)} are left out${by}`
    }),
    ...buckets.map(({ person, table, policy, buckets: count, authors }) => {
      const by = authors.length > 0 ? `, written by ${named(authors.map(({ author }) => author))}` : ''
      return `${person} does not get ${table}${byPolicy(policy)}, which is in ${count} buckets or more${by}`
    }),
  ]
  if (all.length === 0) return undefined
  return `rows do not reach devices, see holdfast sync status: ${named(all)}`
}

const byPolicy = (policy: string | undefined): string => (policy === undefined ? '' : ` by policy "${policy}"`)

function named(all: readonly string[]): string {
  const more = all.length - NAMED_MAX
  return [...all.slice(0, NAMED_MAX), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
