import { evaluateRule, isFalse, isNeverTrue, isTrue, type RuleContext, type RuleRow, valueOf } from './evaluate-rule.ts'
import type { CommandRules, RuleGate, RulePolicy, RuleTransitions, WriteCommand, WriteRules } from './write-rules.ts'

/** A write to be judged. */
export interface PlannedWrite {
  readonly table: string
  readonly command: WriteCommand
  /** The current row on the device; absent for an insert. */
  readonly before?: RuleRow
  /** The resulting row; absent for a deletion. Columns without a value may get any. In an insert, NULL also means no value: the column gets its default. */
  readonly after?: RuleRow
  /** Changed columns; absent if not known yet. */
  readonly changed?: readonly string[]
}

/**
 * How a row on the device relates to the server's: it came from there (`stored`); it was created here and will be sent as it is (`unsent`); or it was created
 * here and has been changed or sent since (`on its way`), so that an empty column may have been cleared or may get its default.
 */
export type RowStanding = 'stored' | 'unsent' | 'on its way'

/** Access to the device's other data. */
export interface JudgeContext {
  readonly rules: WriteRules
  /** Returns a row by table and id: `null` if it is not on the device, `undefined` if not known yet. */
  readonly rowOf: (table: string, id: string) => RuleRow | null | undefined
  /** Whether Postgres's facts about the user are still valid: none of the tables they were read from has changed. */
  readonly isCurrent: (reads: readonly string[]) => boolean
  /** Absent: every row came from the server. */
  readonly standingOf?: (table: string, id: unknown) => RowStanding
}

/** Why Postgres rejects a write. */
export type WriteRefusal =
  /** The role lacks a grant for these columns or the command. */
  | { readonly reason: 'grant'; readonly columns: readonly string[] }
  /** None of these permissive policies permits the write. */
  | { readonly reason: 'permission'; readonly policies: readonly NamedPolicy[] }
  /** These restrictive policies forbid it. */
  | { readonly reason: 'restriction'; readonly policies: readonly NamedPolicy[] }
  /** The column's new value may not follow its current one, or not for this user. */
  | RefusedTransition
  /** These columns need a value. */
  | { readonly reason: 'required'; readonly columns: readonly string[] }
  /** The row breaks a constraint of the table, or a text is longer than its column. */
  | { readonly reason: 'check'; readonly check: BrokenCheck }

export interface RefusedTransition {
  readonly reason: 'transition'
  readonly column: string
  /** The current value; `null` for a new record or an empty value. */
  readonly from: string | null
  /** Permitted next values, for some users at least. Absent if the value is permitted, but not for this user. */
  readonly next?: readonly string[]
  /** A message from the server, in its language. */
  readonly words: string
}

export interface BrokenCheck {
  readonly name?: string
  /** `COMMENT ON CONSTRAINT`. */
  readonly words?: string
  /** Length limit in characters, if a text is too long. */
  readonly length?: number
  readonly columns: readonly string[]
}

export interface NamedPolicy {
  readonly name: string
  /** `COMMENT ON POLICY`. */
  readonly words: string | undefined
}

export type Judgement =
  | { readonly kind: 'allowed' }
  /** Only Postgres can decide: data read by the policies is unknown here. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly refusal: WriteRefusal }

/**
 * Predicts what grants, row-level security, transitions and constraints will decide about a write, in Postgres's order, as far as the data on the device
 * allows. Returns `refused` only if Postgres refuses the write, provided that the device's rows equal the server's.
 */
export function judgeWrite(write: PlannedWrite, context: JudgeContext): Judgement {
  const rules = context.rules.tables[write.table]?.[write.command]
  if (!rules) return { kind: 'unknown' }
  const refusedColumns = write.changed?.filter((column) => rules.columns && !rules.columns.includes(column)) ?? []
  if (refusedColumns.length > 0 || rules.columns?.length === 0)
    return { kind: 'refused', refusal: { reason: 'grant', columns: refusedColumns } }
  const before = asStored(write.before ?? {}, write, context)
  const planned = asStored(write.after ?? {}, write, context, write.changed)
  const after = { ...context, row: afterTriggers(planned, rules) }
  const gates: Judgement[] = []
  if (rules.using) gates.push(judgeGate(rules.using, { ...context, row: before }))
  for (const transitions of rules.transitions ?? [])
    gates.push(judgeTransition(transitions, { ...write, ...(write.before ? { before } : {}), after: planned }, context))
  if (rules.check) gates.push(judgeGate(rules.check, after))
  if (write.command !== 'delete') gates.push(judgeConstraints(rules, after))
  return (
    gates.find(({ kind }) => kind === 'refused') ?? gates.find(({ kind }) => kind === 'unknown') ?? { kind: 'allowed' }
  )
}

const ALLOWED: Judgement = { kind: 'allowed' }

/** Here and below, unknown conditions count as met, because `allowed` means that the policies allow the write. */
function judgeTransition(
  { column, from, isAnyNew, reads }: RuleTransitions,
  write: PlannedWrite,
  context: JudgeContext,
): Judgement {
  const { before, after } = write
  const value = after?.[column]
  const old = before === undefined ? null : before[column]
  const isKnown = (one: unknown): boolean => one === null || typeof one === 'string'
  if (!isKnown(value) || !isKnown(old) || value === old || !context.isCurrent(reads)) return ALLOWED
  const steps = from.find((one) => one.value === old)
  if (old === null && isAnyNew) return ALLOWED
  const step = steps?.to.find((one) => one.value === value)
  const refused = { reason: 'transition', column, from: old as string | null } as const
  if (!step) {
    const next = (steps?.to ?? []).map((one) => one.value)
    return { kind: 'refused', refusal: { ...refused, next, words: steps?.words ?? '' } }
  }
  if (!step.when || !isNeverTrue(evaluateRule(step.when, { ...context, row: {} }))) return ALLOWED
  return { kind: 'refused', refusal: { ...refused, words: step.words } }
}

function judgeConstraints({ required = [], checks = [] }: CommandRules, context: RuleContext): Judgement {
  const missing = required.filter((column) => Object.hasOwn(context.row, column) && context.row[column] === null)
  if (missing.length > 0) return { kind: 'refused', refusal: { reason: 'required', columns: missing } }
  const broken = checks.find(({ when }) => isFalse(evaluateRule(when, context)))
  if (!broken) return ALLOWED
  const { when: _, ...check } = broken
  return { kind: 'refused', refusal: { reason: 'check', check } }
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

/**
 * Returns the row as the database will store it: in a new record on the device, NULLs stand for defaults, and values set by triggers are missing.
 *
 * @param changed - columns that are written explicitly
 */
function asStored(
  row: RuleRow,
  { table, command, before }: PlannedWrite,
  context: JudgeContext,
  changed: readonly string[] = [],
): RuleRow {
  const rules = context.rules.tables[table]
  if (command === 'insert') return withDefaults(row, rules?.insert, context, [])
  const standing = context.standingOf?.(table, before?.['id']) ?? 'stored'
  const made = standing === 'stored' ? row : asMade(row, rules?.insert, context, { changed, standing })
  // NULL carries no information in columns that cannot be NULL.
  const required = rules?.[command]?.required ?? rules?.update?.required ?? []
  const isStored = ([column, value]: readonly [string, unknown]): boolean =>
    value !== null || !required.includes(column) || changed.includes(column)
  return Object.fromEntries(Object.entries(made).filter(isStored))
}

/** Returns a row created on this device, as far as the database's version is known. */
function asMade(
  row: RuleRow,
  rules: CommandRules | undefined,
  context: JudgeContext,
  { changed, standing }: { readonly changed: readonly string[]; readonly standing: RowStanding },
): RuleRow {
  const written = Object.fromEntries(Object.entries(row).filter(([column]) => changed.includes(column)))
  if (!rules) return { ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)), ...written }
  const filled = withDefaults(row, rules, context, standing === 'unsent' ? [] : Object.keys(rules.defaults ?? {}))
  return { ...afterTriggers(filled, rules), ...written }
}

/**
 * Returns a new row with its column defaults.
 *
 * @param unsure - columns that may have their default or be empty
 */
function withDefaults(
  row: RuleRow,
  rules: CommandRules | undefined,
  context: JudgeContext,
  unsure: readonly string[],
): RuleRow {
  const { defaults, required = [] } = rules ?? {}
  const stored = Object.entries(row).flatMap(([column, value]) => {
    // Required columns have no default. Older servers do not describe the others.
    if (value !== null || required.includes(column)) return [[column, value] as const]
    if (!defaults || unsure.includes(column)) return []
    if (!Object.hasOwn(defaults, column)) return [[column, null] as const]
    const known = defaults[column] ? valueOf(defaults[column], { ...context, row: {} }, new Map()) : undefined
    return known === undefined ? [] : [[column, known] as const]
  })
  return Object.fromEntries(stored)
}

/** Returns the known part of the row that the check sees: without columns that earlier triggers may have set. */
function afterTriggers(row: RuleRow, { set, filled }: CommandRules): RuleRow {
  if (set === '*') return {}
  const known = Object.entries(row).filter(
    ([column, value]) => !set.includes(column) && !(value === null && filled.includes(column)),
  )
  return Object.fromEntries(known)
}
