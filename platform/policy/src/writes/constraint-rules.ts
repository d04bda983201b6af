import type { CommandRules, RuleCheck, RuleCondition, RuleTransitions, WriteCommand } from '@holdfast/protocol'
import type { TableInfo } from '../catalog/policy-input.ts'
import { localColumnOf } from '../compile/local-name.ts'
import { columnsOfTrigger } from './trigger-columns.ts'
import type { WriteInput } from './read-write-input.ts'

/** What {@link constraintRules} needs from the table's compiler. */
export interface ConstraintContext {
  readonly input: WriteInput
  readonly table: TableInfo
  readonly compile: (expression: string) => RuleCondition
  /** Local names of synced tables by OID. */
  readonly localNames: ReadonlyMap<number, string>
  /** Columns the database may set, or `'*'`, and those it fills in. */
  readonly written: Pick<CommandRules, 'set' | 'filled'>
}

type ConstraintRules = Pick<CommandRules, 'required' | 'checks' | 'transitions'>

/** Compiles constraints independent of the user: NOT NULL, lengths, CHECKs, and transitions. */
export function constraintRules(command: Exclude<WriteCommand, 'delete'>, context: ConstraintContext): ConstraintRules {
  const required = requiredColumns(command, context)
  const checks = [...lengthChecks(context), ...constraintChecks(context)]
  const transitions = transitionsOf(command, context)
  return {
    ...(required.length > 0 ? { required } : {}),
    ...(checks.length > 0 ? { checks } : {}),
    ...(transitions.length > 0 ? { transitions } : {}),
  }
}

/** Required columns. A device omits NULLs of a new record, so that defaults apply. */
function requiredColumns(command: WriteCommand, { input, table, written }: ConstraintContext): readonly string[] {
  if (written.set === '*') return []
  return input.columns
    .filter((column) => column.table === table.oid && column.isRequired)
    .filter(({ hasDefault }) => command === 'update' || !hasDefault)
    .map(({ name }) => localColumnOf(name, table))
    .filter((name) => !written.set.includes(name) && !written.filled.includes(name))
}

/** Length limits. Postgres truncates excess spaces. */
function lengthChecks({ input, table }: ConstraintContext): readonly RuleCheck[] {
  return input.columns.flatMap(({ table: of, name, length }) => {
    if (of !== table.oid || length === null) return []
    const column = localColumnOf(name, table)
    const characters = { call: 'length', of: { call: 'rtrim', of: { column } } } as const
    const when: RuleCondition = {
      is: 'compare',
      operator: '<=',
      as: 'integer',
      left: characters,
      right: { text: String(length) },
    }
    return [{ length, columns: [column], when }]
  })
}

function constraintChecks({ input, table, compile }: ConstraintContext): readonly RuleCheck[] {
  return (input.policies.checks ?? []).flatMap(({ table: of, name, columns, expression, comment }) => {
    if (of !== table.oid) return []
    const when = compile(expression)
    if (when.is === 'unknown') return []
    const words = comment === null ? {} : { words: comment }
    return [{ name, ...words, columns: columns.map((column) => localColumnOf(column, table)), when }]
  })
}

/** Transitions. Triggers run by name; earlier ones may change what was written. */
function transitionsOf(
  command: WriteCommand,
  { input, table, compile, localNames }: ConstraintContext,
): readonly RuleTransitions[] {
  const rows = input.policies.tables.find(({ schema, name }) => schema === 'holdfast' && name === 'transitions')
  const read = rows && localNames.get(rows.oid)
  return input.transitions.flatMap(({ table: of, column, commands, steps, sentences }) => {
    if (of !== table.oid || !commands.includes(command) || isSetBefore(column, command, input, table)) return []
    const from = sentences.map(({ from: value, words }) => ({
      value,
      words,
      to: steps.flatMap((step) => {
        if (step.from !== value || step.to === null) return []
        const when = step.allowedIf === null ? {} : { when: compile(step.allowedIf) }
        return [{ value: step.to, ...when, words: step.words }]
      }),
    }))
    const isAnyNew = steps.every((step) => step.from !== null)
    return [{ column: localColumnOf(column, table), from, isAnyNew, reads: read === undefined ? [] : [read] }]
  })
}

const TRANSITION_TRIGGERS = '_transition_'

function isSetBefore(column: string, command: WriteCommand, input: WriteInput, table: TableInfo): boolean {
  return input.triggers
    .filter((one) => one.table === table.oid && one.commands.includes(command) && one.name < TRANSITION_TRIGGERS)
    .map(columnsOfTrigger)
    .some(({ set, filled }) => set === '*' || set.has(column) || filled.has(column))
}
