import type { Random } from './random.ts'

/** A stream that may be declared: its condition for the declaration, and for Postgres alone once parameters are known. */
interface StreamForm {
  readonly table: 'tables' | 'lists'
  readonly condition: (table: string, parameter: (name: string) => string) => string
  /** Random parameters, as a device sends them, and as literals. */
  readonly parameters: Readonly<Record<string, (random: Random) => readonly [sent: unknown, literal: string]>>
}

const small = (random: Random): readonly [unknown, string] => {
  const n = 1 + random.below(3)
  return [random.chance(0.5) ? n : String(n), `${n}::int`]
}

const FORMS: Readonly<Record<string, StreamForm>> = {
  by_list: { table: 'tables', condition: (_, p) => `list_id = ${p('list')}`, parameters: { list: small } },
  by_states: {
    table: 'tables',
    condition: (_, p) => `status = any (${p('states')})`,
    parameters: {
      states: (random) => {
        const states = random.pick([['open'], ['draft', 'closed'], []])
        return [states, `array[${states.map((one) => `'${one}'`).join(', ')}]::public.kind[]`]
      },
    },
  },
  up_to: { table: 'tables', condition: (_, p) => `n <= ${p('most')}`, parameters: { most: small } },
  my_team: {
    table: 'tables',
    condition: (_, p) => `(owner_id = auth.uid() or team = ${p('team')})`,
    parameters: { team: (random) => (random.chance(0.5) ? ['red', `'red'`] : [null, 'null::text']) },
  },
  granted: {
    table: 'tables',
    condition: (_, p) => `list_id in (select g.list_id from grants g where g.level >= ${p('level')})`,
    parameters: { level: small },
  },
  of_org: {
    table: 'tables',
    condition: (table, p) => `exists (select from lists l where l.id = ${table}.list_id and l.org_id = ${p('org')})`,
    parameters: { org: small },
  },
  not_days: { table: 'tables', condition: () => `not exists (select from days d where d.day = day)`, parameters: {} },
  shown: { table: 'tables', condition: () => 'is_public', parameters: {} },
  lists_of: { table: 'lists', condition: (_, p) => `org_id = ${p('org')}`, parameters: { org: small } },
}

/** A stream under a name, declared or not. */
export interface RandomStream {
  readonly name: string
  readonly form: keyof typeof FORMS
  readonly table: string
  readonly priority: number
  readonly isDefault: boolean
}

/** What a device asks for. */
export interface RandomSubscription {
  readonly stream: string
  readonly parameters: Readonly<Record<string, unknown>> | null
  readonly override_priority: number | null
  /** The parameters as SQL. */
  readonly literals: Readonly<Record<string, string>>
}

/** What a device wants. */
export interface RandomWants {
  readonly includeDefaults: boolean
  readonly subscriptions: readonly RandomSubscription[]
}

export function randomStreams(random: Random, tables: readonly string[]): readonly RandomStream[] {
  return Array.from({ length: 1 + random.below(4) }, (_, index) => {
    const form = random.pick(Object.keys(FORMS))
    return {
      name: `s${index}_${form}`,
      form,
      table: FORMS[form]?.table === 'lists' ? 'lists' : random.pick(tables),
      priority: random.below(4),
      isDefault: Object.keys(FORMS[form]?.parameters ?? {}).length === 0 && random.chance(0.7),
    }
  })
}

export function randomWants(random: Random, streams: readonly RandomStream[]): RandomWants {
  if (streams.length === 0) return { includeDefaults: true, subscriptions: [] }
  return {
    includeDefaults: random.chance(0.7),
    subscriptions: Array.from({ length: random.below(4) }, () => {
      const { name, form } = random.pick(streams)
      const chosen = Object.entries(FORMS[form]?.parameters ?? {}).map(
        ([parameter, make]) => [parameter, make(random)] as const,
      )
      return {
        stream: name,
        parameters: chosen.length === 0 ? null : Object.fromEntries(chosen.map(([key, [sent]]) => [key, sent])),
        override_priority: random.chance(0.3) ? random.below(4) : null,
        literals: Object.fromEntries(chosen.map(([key, [, literal]]) => [key, literal])),
      }
    }),
  }
}

/** Declares a stream. */
export function declareStream({ name, form, table, priority, isDefault }: RandomStream): string {
  const condition = FORMS[form]?.condition(table, (parameter) => `subscription.parameter('${parameter}')`) ?? 'false'
  return `select sync.create_stream('${name}', $query$ select * from ${table} where ${condition} $query$, priority => ${priority}, auto_subscribe => ${isDefault})`
}

/** Which rows of a table a device wants, as a condition that Postgres understands by itself. */
export function wantedCondition(declared: readonly RandomStream[], wants: RandomWants, table: string): string {
  if (!declared.some((stream) => stream.table === table)) return String(wants.includeDefaults)
  const alternatives: string[] = []
  for (const stream of declared) {
    if (stream.table !== table) continue
    const condition = (literals: Readonly<Record<string, string>>): string =>
      FORMS[stream.form]?.condition(table, (parameter) => literals[parameter] ?? 'null') ?? 'false'
    if (stream.isDefault && wants.includeDefaults) alternatives.push(condition({}))
    for (const one of wants.subscriptions) if (one.stream === stream.name) alternatives.push(condition(one.literals))
  }
  return alternatives.length === 0 ? 'false' : alternatives.map((one) => `(${one})`).join(' or ')
}
