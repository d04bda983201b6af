import { evaluateRule, isNeverTrue, isTrue, type RuleContext, type RuleRow } from './evaluate-rule.ts'
import type { CommandRules, RuleGate, RulePolicy, WriteCommand, WriteRules } from './write-rules.ts'

/** What is going to be written. */
export interface PlannedWrite {
  readonly table: string
  readonly command: WriteCommand
  /** The row as it is on the device; of an insert left out. */
  readonly before?: RuleRow
  /** The row as it will be; of a deletion left out. Columns without a value here may get any. */
  readonly after?: RuleRow
  /** Columns that change. Left out: those that are not known yet. */
  readonly changed?: readonly string[]
}

/** What is known of the rest of the device. */
export interface JudgeContext {
  readonly rules: WriteRules
  /** A row by table and id: `null` when it is not on the device, `undefined` when that is not known yet. */
  readonly rowOf: (table: string, id: string) => RuleRow | null | undefined
  /** Whether what Postgres said about the person may be relied on: no table that it was read from has changed since. */
  readonly isCurrent: (reads: readonly string[]) => boolean
}

/** Why Postgres refuses. */
export type WriteRefusal =
  /** The role has no grant for these columns, or for the command. */
  | { readonly reason: 'grant'; readonly columns: readonly string[] }
  /** None of these permissive policies lets the person. */
  | { readonly reason: 'permission'; readonly policies: readonly NamedPolicy[] }
  /** These restrictive policies forbid it. */
  | { readonly reason: 'restriction'; readonly policies: readonly NamedPolicy[] }

export interface NamedPolicy {
  readonly name: string
  /** `COMMENT ON POLICY`. */
  readonly words: string | undefined
}

export type Judgement =
  | { readonly kind: 'allowed' }
  /** Postgres decides: something that the policies read is not known here. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly refusal: WriteRefusal }

/**
 * Says what row-level security and grants will make of a write, as far as that follows from what is on the device. It says `refused` only where Postgres
 * refuses, provided that the rows of the device are those of the server.
 */
export function judgeWrite(write: PlannedWrite, context: JudgeContext): Judgement {
  const rules = context.rules.tables[write.table]?.[write.command]
  if (!rules) return { kind: 'unknown' }
  const refusedColumns = write.changed?.filter((column) => rules.columns && !rules.columns.includes(column)) ?? []
  if (refusedColumns.length > 0 || rules.columns?.length === 0)
    return { kind: 'refused', refusal: { reason: 'grant', columns: refusedColumns } }
  const gates: Judgement[] = []
  if (rules.using) gates.push(judgeGate(rules.using, { ...context, row: write.before ?? {} }))
  if (rules.check) gates.push(judgeGate(rules.check, { ...context, row: afterTriggers(write.after ?? {}, rules) }))
  return (
    gates.find(({ kind }) => kind === 'refused') ?? gates.find(({ kind }) => kind === 'unknown') ?? { kind: 'allowed' }
  )
}

function judgeGate({ permissive, restrictive }: RuleGate, context: RuleContext): Judgement {
  const outcomeOf = ({ when }: RulePolicy) => evaluateRule(when, context)
  const forbidding = restrictive.filter((policy) => isNeverTrue(outcomeOf(policy)))
  if (forbidding.length > 0)
    return { kind: 'refused', refusal: { reason: 'restriction', policies: forbidding.map(toNamed) } }
  const outcomes = permissive.map(outcomeOf)
  if (outcomes.every(isNeverTrue))
    return { kind: 'refused', refusal: { reason: 'permission', policies: permissive.map(toNamed) } }
  const isAllowed = outcomes.some(isTrue) && restrictive.every((policy) => isTrue(outcomeOf(policy)))
  return { kind: isAllowed ? 'allowed' : 'unknown' }
}

function toNamed({ name, words }: RulePolicy): NamedPolicy {
  return { name, words }
}

/** The row that the check sees: triggers before it may have set columns. */
function afterTriggers(row: RuleRow, { set, filled }: CommandRules): RuleRow {
  if (set === '*') return {}
  const known = Object.entries(row).filter(
    ([column, value]) => !set.includes(column) && !(value === null && filled.includes(column)),
  )
  return Object.fromEntries(known)
}
