import { type Conditions, conditionsWords } from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words } from '../../messages/table-rules.ts'

export const COMMANDS = ['see', 'add', 'change', 'delete'] as const
export type Command = (typeof COMMANDS)[number]

export interface Rule {
  readonly role: 'viewer' | 'commenter' | 'editor'
  readonly scope: 'all' | 'own' | 'assigned' | 'team'
  /** For `assigned` and `team`. */
  readonly field?: string
  readonly when?: Conditions
}

/** As `holdfast.set_access` takes them. */
export type AccessRules = Readonly<Record<Command, readonly Rule[]>>

/** Strictest rules: only owners and admins. */
export const NO_RULES: AccessRules = { see: [], add: [], change: [], delete: [] }

/** Parses rules as synced or as returned by the server. */
export function parseRules(given: unknown): AccessRules | undefined {
  const parsed: unknown = typeof given === 'string' ? JSON.parse(given) : given
  return typeof parsed === 'object' && parsed !== null ? { ...NO_RULES, ...(parsed as AccessRules) } : undefined
}

export interface ScopeOption {
  readonly value: string
  readonly label: string
  readonly rule: Pick<Rule, 'scope' | 'field'>
}

/** Scopes that a rule of the command can have with these fields. */
export function scopesOf(command: Command, fields: readonly Field[]): readonly ScopeOption[] {
  const linked = (scope: 'assigned' | 'team', table: string): readonly ScopeOption[] =>
    fields
      .filter(({ link }) => link?.table === table)
      .map(({ name, label }) => ({
        value: `${scope} ${name}`,
        label: words.scopeOf[scope](label),
        rule: { scope, field: name },
      }))
  return [
    { value: 'all', label: command === 'add' ? words.anyRecords : words.scopes.all, rule: { scope: 'all' } },
    ...(command === 'add' ? [] : [{ value: 'own', label: words.scopes.own, rule: { scope: 'own' } } as const]),
    ...linked('assigned', 'hf_members'),
    ...linked('team', 'hf_teams'),
  ]
}

export function scopeValueOf({ scope, field }: Rule): string {
  return field === undefined ? scope : `${scope} ${field}`
}

/** A rule as a sentence, for the check of a member. */
export function sentenceOf(command: Command, rule: Rule, fields: readonly Field[]): string {
  const scope = scopesOf(command, fields).find(({ value }) => value === scopeValueOf(rule))?.label ?? rule.scope
  const when = conditionsWords(rule.when ?? [], fields)
  const parts = [words.roles[rule.role], words.can[command], scope]
  return [...parts, ...(when === '' ? [] : [words.when, when])].join(' ')
}

/** The sentence of the rule that a policy was made of, such as `see_2`. */
export function reasonOf(policy: string, rules: AccessRules, fields: readonly Field[]): string {
  const [, command, place] = /^(see|add|change|delete)_(\d+)$/.exec(policy) ?? []
  const rule = command === undefined ? undefined : rules[command as Command][Number(place) - 1]
  if (rule) return sentenceOf(command as Command, rule, fields)
  if (policy.startsWith('guests_')) return words.shared
  return policy.startsWith('admins_') ? words.admin : policy
}
