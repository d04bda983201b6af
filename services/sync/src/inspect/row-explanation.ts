import type { BucketDefinition } from '@holdfast/policy'
import type { ActiveDefinition } from '../buckets/active-plan.ts'
import type { InspectedUser } from './inspected-user.ts'

/** Result of one policy for row and user. */
export interface PolicyAnswer {
  readonly name: string
  readonly permissive: boolean
  /** Postgres's result, evaluated as the user; `null` counts as false. */
  readonly passes: boolean | null
  /** Why it could not be evaluated. */
  readonly fails?: string
}

/** A row read by a key query that links the user to the key. */
export interface KeySource {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The newest operation of the row in a bucket. */
export interface LoggedOperation {
  readonly bucket: string
  readonly opId: string
  readonly checksum: number
  /** Whether its content equals the current row. */
  readonly current: boolean
}

/** One definition through which the user could have the row. */
export interface DefinitionAnswer {
  readonly id: string
  readonly policies: readonly string[]
  readonly rowFilter: string | undefined
  /** Keys of the row, by name or expression. */
  readonly keys: readonly string[]
  /** The row's buckets; none if the filter excludes it or a key is NULL. */
  readonly buckets: readonly {
    readonly name: string
    readonly key: readonly (string | null)[] | undefined
    /** Whether the user has the bucket. */
    readonly personHas: boolean
    /** What links the user to it, as far as known. */
    readonly sources: readonly KeySource[]
    readonly operation: LoggedOperation | undefined
  }[]
  /** Number of buckets of this definition that the user has. */
  readonly personBuckets: number
}

/** Explains why a user has, or does not have, a row. */
export interface RowExplanation {
  readonly user: { readonly id: string; readonly role: string }
  readonly table: string
  readonly id: string
  readonly verdict: 'has it' | 'does not have it' | 'disagreement'
  /** Sentences, most important first. */
  readonly because: readonly string[]
  readonly synced: boolean
  readonly postgres: {
    /** Whether the row exists, bypassing policies. */
    readonly exists: boolean
    /** Visibility as the user. */
    readonly visible: boolean
    /** Why selecting fails for the user. */
    readonly fails?: string
    readonly policies: readonly PolicyAnswer[]
  }
  readonly definitions: readonly DefinitionAnswer[]
  /** Operations for the row in buckets of the user that should not contain it. */
  readonly stray: readonly LoggedOperation[]
  /** Inconsistencies, which are always bugs. */
  readonly disagreements: readonly string[]
}

/** Returns inconsistencies as sentences. */
export function findDisagreements(
  postgres: RowExplanation['postgres'],
  answers: readonly DefinitionAnswer[],
  stray: readonly LoggedOperation[],
  isNarrowed: boolean,
): readonly string[] {
  const found: string[] = []
  const through = answers.flatMap((one) => one.buckets.filter((bucket) => bucket.personHas))
  if (postgres.visible && through.length === 0 && !isNarrowed)
    found.push('Postgres shows the row to this person, and no bucket of theirs has it: it is missing on their devices.')
  if (!postgres.visible && through.length > 0)
    found.push(
      `Postgres does not show the row to this person, and they have bucket ${through[0]?.name}: too much is on their devices.`,
    )
  for (const bucket of answers.flatMap((one) => one.buckets)) {
    if (!bucket.operation) found.push(`The row belongs in bucket ${bucket.name}, and the log does not have it there.`)
    else if (!bucket.operation.current)
      found.push(`Operation ${bucket.operation.opId} of bucket ${bucket.name} is not the row as it is now.`)
  }
  for (const operation of stray)
    found.push(`Operation ${operation.opId} holds the row in bucket ${operation.bucket}, where it does not belong.`)
  return found
}

/** Returns why the user has the row or not. Definitions that grant it come first. */
export function explainReasons(
  postgres: RowExplanation['postgres'],
  definitions: readonly ActiveDefinition[],
  answers: readonly DefinitionAnswer[],
  person: InspectedUser,
): readonly string[] {
  if (!postgres.exists) return ['There is no such row.']
  if (definitions.length === 0) return [`No policy lets the role ${person.role} select from this table.`]
  const lines: string[] = []
  if (postgres.fails !== undefined) lines.push(`Selecting fails for this person: ${postgres.fails}`)
  for (const answer of answers) {
    const names = answer.policies.map((name) => `"${name}"`).join(' and ')
    const definition = definitions.find((one) => one.definition.id === answer.id)?.definition
    lines.push(...answerLines(answer, names, definition))
  }
  return lines.sort((left, right) => Number(left.startsWith('Not')) - Number(right.startsWith('Not')))
}

function answerLines(
  answer: DefinitionAnswer,
  names: string,
  definition: BucketDefinition | undefined,
): readonly string[] {
  if (answer.buckets.length === 0) {
    const why =
      answer.rowFilter === undefined
        ? 'a key of the row is null'
        : `its filter or a key keeps the row out: ${answer.rowFilter}`
    return [`Not through ${names} (${answer.id}): ${why}`]
  }
  return answer.buckets.map(({ key, personHas, sources }) => {
    const shown =
      answer.keys.length === 0
        ? 'its condition on the person'
        : `${answer.keys.join(', ')} = ${key === undefined ? '(long)' : key.map((value) => value ?? 'null').join(', ')}`
    if (!personHas) {
      const tables = [...new Set((definition?.dependencies ?? []).map((one) => `${one.schema}.${one.name}`))]
      const where = tables.length > 0 ? `; no row of ${tables.join(', ')} gives it` : ''
      return answer.keys.length === 0
        ? `Not through ${names} (${answer.id}): the person does not meet ${shown}${where}`
        : `Not through ${names} (${answer.id}): ${shown} is not among the person's ${answer.personBuckets} keys${where}`
    }
    const from = sources.map((source) => `${source.table} ${JSON.stringify(source.row)}`)
    return `Through ${names} (${answer.id}): ${shown}${from.length > 0 ? `, from ${from.join(', ')}` : ''}`
  })
}
