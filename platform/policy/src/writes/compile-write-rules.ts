import type {
  CommandRules,
  RuleCondition,
  RuleDefault,
  RuleGate,
  RulePolicy,
  TableRules,
  WriteCommand,
} from '@holdfast/protocol'
import type { Node } from 'libpg-query'
import { createPolicyCatalog, type PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { PolicyInfo, TableInfo } from '../catalog/policy-input.ts'
import { localColumnOf, localNameOf } from '../compile/local-name.ts'
import { isExempt } from '../compile/table-access.ts'
import { convertExpr, createScope } from '../syntax/convert.ts'
import { parsePolicyExpression } from '../syntax/parse.ts'
import type { Scope } from '../syntax/scope.ts'
import { ROW_ALIAS } from '../syntax/render.ts'
import { constraintRules } from './constraint-rules.ts'
import { FactQueries, type FactQuery } from './fact-queries.ts'
import { toRuleCondition } from './rule-condition.ts'
import { type ConditionContext, ruleTypeOf, toRuleValue, unlessRefused } from './rule-value.ts'
import { columnsOfTrigger } from './trigger-columns.ts'
import type { WriteInput } from './read-write-input.ts'

/** Write rules of a role, for all its users. */
export interface CompiledWriteRules {
  readonly tables: Readonly<Record<string, TableRules>>
  /** Facts to query per user. */
  readonly facts: readonly FactQuery[]
  /** Local names of synced tables by OID. */
  readonly localNames: ReadonlyMap<number, string>
}

const COMMANDS = { insert: 'a', update: 'w', delete: 'd' } as const

/** Compilation time slice in ms, after which the event loop runs. */
const SLICE_MS = 8

/**
 * Compiles the write policies of all synced tables for evaluation on devices. Deterministic.
 *
 * @param planned - OIDs of the tables of the sync plan, which may be older than `input`: a table that no longer syncs is ignored
 */
export async function compileWriteRules(
  input: WriteInput,
  role: string,
  planned: ReadonlySet<number>,
): Promise<CompiledWriteRules> {
  const catalog = createPolicyCatalog(input.policies)
  const synced = new Set([...planned].filter((table) => catalog.localName(table) !== undefined))
  const oid = input.policies.roles.find(({ name }) => name === role)?.oid
  const tables: Record<string, TableRules> = {}
  const facts = new Map<string, FactQuery>()
  const localNames = new Map<number, string>()
  for (const table of input.policies.tables)
    if (synced.has(table.oid)) localNames.set(table.oid, localNameOf(table, catalog))
  let sliceEnd = performance.now() + SLICE_MS
  for (const table of input.policies.tables) {
    if (performance.now() > sliceEnd) {
      await new Promise((resolve) => setImmediate(resolve))
      sliceEnd = performance.now() + SLICE_MS
    }
    if (!synced.has(table.oid) || oid === undefined) continue
    const queries = new FactQueries(catalog, oid, table.oid)
    const compiler: TableCompiler = {
      input,
      catalog,
      role: oid,
      table,
      localNames,
      context: { catalog, facts: queries, table, synced },
    }
    tables[localNameOf(table, catalog)] = {
      insert: compileCommand('insert', compiler),
      update: compileCommand('update', compiler),
      delete: compileCommand('delete', compiler),
    }
    for (const query of queries.queries.values()) facts.set(query.name, query)
  }
  return { tables, facts: [...facts.values()], localNames }
}

interface TableCompiler {
  readonly input: WriteInput
  readonly catalog: PolicyCatalog
  readonly role: number
  readonly table: TableInfo
  readonly localNames: ReadonlyMap<number, string>
  readonly context: ConditionContext
}

function compileCommand(command: WriteCommand, compiler: TableCompiler): CommandRules {
  const { table, role, catalog } = compiler
  const isBound = table.rls && !isExempt(table, role, catalog)
  const written = databaseColumns(command, compiler)
  return {
    ...writableColumns(command, compiler),
    ...(isBound && command !== 'insert' ? { using: gateOf(command, 'using', compiler) } : {}),
    ...(isBound && command !== 'delete' ? { check: gateOf(command, 'check', compiler) } : {}),
    ...written,
    ...(command === 'insert' ? { defaults: defaultsOf(compiler) } : {}),
    ...(command === 'delete'
      ? {}
      : constraintRules(command, { ...compiler, written, compile: (text) => compileText(text, compiler) })),
  }
}

function gateOf(command: WriteCommand, part: 'using' | 'check', compiler: TableCompiler): RuleGate {
  const { catalog, role, table } = compiler
  const memberOf = catalog.role(role)?.memberOf ?? [role]
  const policies = catalog
    .policiesOf(table.oid)
    .filter((policy) => policy.command === '*' || policy.command === COMMANDS[command])
    .filter(({ roles }) => roles.some((one) => one === 0 || memberOf.includes(one)))
  const compile = (isPermissive: boolean): readonly RulePolicy[] =>
    policies
      .filter(({ permissive }) => permissive === isPermissive)
      .flatMap((policy) => compilePolicy(policy, part, compiler))
  return { permissive: compile(true), restrictive: compile(false) }
}

/** Compiles one policy. Without the expression it is neutral: a permissive one permits nothing, a restrictive one forbids nothing. */
function compilePolicy(policy: PolicyInfo, part: 'using' | 'check', compiler: TableCompiler): readonly RulePolicy[] {
  const text = part === 'check' ? (policy.check ?? policy.using) : policy.using
  if (text === null) return []
  const words = policy.comment ? { words: policy.comment } : {}
  return [{ name: policy.name, ...words, when: compileText(text, compiler) }]
}

function compileText(text: string, compiler: TableCompiler): RuleCondition {
  try {
    return compileNode(parsePolicyExpression(text), compiler)
  } catch (error) {
    return unlessRefused(error)
  }
}

/** A part that cannot be compiled becomes unknown, within its AND or OR. */
function compileNode(node: Node, compiler: TableCompiler): RuleCondition {
  if ('BoolExpr' in node) {
    const of = (node.BoolExpr.args ?? []).map((arg) => compileNode(arg, compiler))
    const [first] = of
    if (node.BoolExpr.boolop === 'NOT_EXPR') return first ? { is: 'not', of: first } : { is: 'unknown' }
    return { is: node.BoolExpr.boolop === 'OR_EXPR' ? 'or' : 'and', of }
  }
  const { context } = compiler
  try {
    return toRuleCondition(convertExpr(node, scopeOf(compiler)), context)
  } catch (error) {
    return unlessRefused(error)
  }
}

/** Devices receive function bodies as conditions and query results as facts, so nothing outside the API may be used. */
function scopeOf({ input, catalog, role, table }: TableCompiler): Scope {
  return createScope(catalog, role, table, new Set([ROW_ALIAS]), new Set(input.policies.schemas))
}

/** Defaults are useless for columns whose values devices do not compare. */
function defaultsOf(compiler: TableCompiler): NonNullable<CommandRules['defaults']> {
  const { input, table, catalog, context } = compiler
  const valueOf = (column: string, expression: string | null): RuleDefault | null => {
    const type = table.columns.find(({ name }) => name === column)?.typeOid
    if (expression === null || ruleTypeOf(type, catalog) === undefined) return null
    try {
      const scope = scopeOf(compiler)
      const value = toRuleValue(convertExpr(parsePolicyExpression(expression), scope), context, new Map())
      return value && ('text' in value || 'fact' in value) ? value : null
    } catch (error) {
      unlessRefused(error)
      return null
    }
  }
  const own = (input.policies.defaults ?? []).filter((one) => one.table === table.oid)
  return Object.fromEntries(
    own.map(({ column, expression }) => [localColumnOf(column, table), valueOf(column, expression)]),
  )
}

function writableColumns(command: WriteCommand, { input, role, table }: TableCompiler): Pick<CommandRules, 'columns'> {
  const right = input.rights.find((one) => one.table === table.oid && one.role === role)
  if (command === 'delete') return right?.canDelete ? {} : { columns: [] }
  const columns = (command === 'insert' ? right?.insertable : right?.updatable) ?? []
  return columns.length === table.columns.length ? {} : { columns: columns.map((name) => localColumnOf(name, table)) }
}

function databaseColumns(command: WriteCommand, { input, table }: TableCompiler): Pick<CommandRules, 'set' | 'filled'> {
  if (command === 'delete') return { set: [], filled: [] }
  const set = new Set(table.columns.filter(({ generated }) => generated !== '').map(({ name }) => name))
  const filled = new Set<string>()
  for (const trigger of input.triggers) {
    if (trigger.table !== table.oid || !trigger.commands.includes(command)) continue
    const found = columnsOfTrigger(trigger)
    if (found.set === '*') return { set: '*', filled: [] }
    for (const name of found.set) set.add(name)
    for (const name of found.filled) filled.add(name)
  }
  const local = (names: ReadonlySet<string>): readonly string[] =>
    [...names].map((name) => localColumnOf(name, table)).sort()
  return { set: local(set), filled: local(filled) }
}
