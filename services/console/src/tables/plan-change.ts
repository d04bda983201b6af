import type { NewColumn, TableChange } from '@holdfast/protocol'
import { quoteIdentifier, quoteLiteral, quoteName } from '@holdfast/postgres'
import { invalidRequest } from '../errors.ts'

export interface PlannedChange {
  readonly statements: readonly string[]
  /** Name of the migration: letters, digits and `_`. */
  readonly name: string
  readonly notes: readonly string[]
}

const API_ROLES = ['anon', 'authenticated'] as const

const WRITES_WAIT =
  'Writes to the table wait until every row has been checked. On a large table, do it with SQL in steps.'

/**
 * Renders a change as statements. Names are quoted; types, defaults and conditions are SQL of the operator, whose statements {@link requireStatements} counts.
 *
 * @throws {HoldfastError} `invalid_request` for a deletion that is not confirmed by its name
 */
export function planChange(change: TableChange): PlannedChange {
  switch (change.kind) {
    case 'create_table':
      return planTable(change)
    case 'create_enum': {
      const labels = change.labels.map(quoteLiteral).join(', ')
      return plan(change, [`create type ${quoteName(change.schema, change.name)} as enum (${labels});`])
    }
    case 'add_label':
      return plan(
        change,
        [`alter type ${quoteName(change.schema, change.name)} add value ${quoteLiteral(change.label)};`],
        ['A label of an enum cannot be removed.'],
      )
    case 'drop_table':
    case 'drop_column':
    case 'drop_constraint':
    case 'drop_index':
    case 'drop_policy':
      return planDrop(change)
    case 'set_grants':
      return planGrants(change)
    case 'create_policy':
    case 'alter_policy':
      return planPolicy(change)
    default:
      return planAlter(change)
  }
}

type Change<Kind extends TableChange['kind']> = Extract<TableChange, { readonly kind: Kind }>

function planTable(change: Change<'create_table'>): PlannedChange {
  const { columns, key, rls, grants } = change
  const table = tableOf(change)
  const lines = [
    ...columns.map((column) => `  ${columnSql(column)}`),
    ...(key.length === 0 ? [] : [`  primary key (${namesOf(key)})`]),
  ]
  const roles: readonly string[] = grants === 'none' ? [] : grants === 'anon' ? API_ROLES : ['authenticated']
  return plan(
    change,
    [
      `create table ${table} (\n${lines.join(',\n')}\n);`,
      ...(rls ? [`alter table ${table} enable row level security;`] : []),
      `revoke all on ${table} from ${API_ROLES.join(', ')};`,
      ...(roles.length === 0 ? [] : [`grant select, insert, update, delete on ${table} to ${roles.join(', ')};`]),
    ],
    [
      ...(key.length === 0 ? ['Without a primary key the table does not sync.'] : []),
      rls
        ? 'Row-level security is on: users see no rows until a policy gives them some.'
        : roles.length > 0
          ? `Row-level security is off: every ${roles.includes('anon') ? 'visitor' : 'signed-in user'} reads and changes all rows.`
          : 'Row-level security is off, and only the service key reaches the table.',
    ],
  )
}

function planGrants(change: Change<'set_grants'>): PlannedChange {
  const [table, role] = [tableOf(change), quoteIdentifier(change.role)]
  return plan(change, [
    `revoke all on ${table} from ${role};`,
    ...(change.privileges.length === 0 ? [] : [`grant ${change.privileges.join(', ')} on ${table} to ${role};`]),
  ])
}

function planPolicy(change: Change<'create_policy' | 'alter_policy'>): PlannedChange {
  const { name, roles, using = '', check = '' } = change
  const policy = `policy ${quoteIdentifier(name)} on ${tableOf(change)}`
  const terms = [
    `  to ${roles.length === 0 ? 'public' : namesOf(roles)}`,
    ...(using === '' ? [] : [`  using (${using})`]),
    ...(check === '' ? [] : [`  with check (${check})`]),
  ]
  const devices = 'Devices of users whose rows change receive or drop them within seconds.'
  if (change.kind === 'create_policy') {
    const { command, isPermissive } = change
    const kind = `  as ${isPermissive ? 'permissive' : 'restrictive'} for ${command}`
    return plan(change, [`${[`create ${policy}`, kind, ...terms].join('\n')};`], [devices])
  }
  const renamed = change.to === name ? [] : [`alter ${policy} rename to ${quoteIdentifier(change.to)};`]
  return plan(change, [`${[`alter ${policy}`, ...terms].join('\n')};`, ...renamed], [devices])
}

type Drop = Change<'drop_table' | 'drop_column' | 'drop_constraint' | 'drop_index' | 'drop_policy'>

function planDrop(change: Drop): PlannedChange {
  const dropped =
    change.kind === 'drop_table' ? change.table : change.kind === 'drop_column' ? change.column : change.name
  if (change.confirmation !== dropped) throw invalidRequest(`Type "${dropped}" to confirm.`)
  const table = tableOf(change)
  if (change.kind === 'drop_table') return plan(change, [`drop table ${table};`], ['All rows of the table are lost.'])
  if (change.kind === 'drop_index') return plan(change, [`drop index ${quoteName(change.schema, change.name)};`])
  if (change.kind === 'drop_policy')
    return plan(
      change,
      [`drop policy ${quoteIdentifier(change.name)} on ${table};`],
      ['Rows that only this policy gave are no longer seen, and devices drop them.'],
    )
  if (change.kind === 'drop_constraint')
    return plan(change, [`alter table ${table} drop constraint ${quoteIdentifier(change.name)};`])
  return plan(
    change,
    [`alter table ${table} drop column ${quoteIdentifier(change.column)};`],
    ['All values of the column are lost.'],
  )
}

type Alteration = Change<
  | 'rename_table'
  | 'set_rls'
  | 'add_column'
  | 'rename_column'
  | 'set_type'
  | 'set_default'
  | 'set_nullable'
  | 'add_key'
  | 'add_check'
  | 'add_foreign_key'
  | 'create_index'
>

function planAlter(change: Alteration): PlannedChange {
  const table = tableOf(change)
  if (change.kind === 'create_index') {
    const unique = change.isUnique ? 'unique ' : ''
    return plan(
      change,
      [`create ${unique}index on ${table} (${namesOf(change.columns)});`],
      [
        'Writes to the table wait until the index is built. On a large table, use "create index concurrently" with SQL.',
      ],
    )
  }
  const [action, ...notes] = alterationOf(change)
  return plan(change, [`alter table ${table} ${action};`], notes)
}

/** @returns the action of `alter table`, and notes */
function alterationOf(change: Exclude<Alteration, Change<'create_index'>>): readonly [string, ...string[]] {
  switch (change.kind) {
    case 'rename_table':
      return [`rename to ${quoteIdentifier(change.to)}`, 'Devices download the table again under its new name.']
    case 'set_rls':
      return change.rls
        ? ['enable row level security', 'Users see no rows but those that policies give them.']
        : ['disable row level security', 'Policies stop to apply: grants alone decide who reads and changes rows.']
    case 'add_column':
      return [`add column ${columnSql(change.column)}`]
    case 'rename_column':
      return [`rename column ${quoteIdentifier(change.column)} to ${quoteIdentifier(change.to)}`]
    case 'set_type': {
      const using = change.using === undefined ? '' : ` using ${change.using}`
      return [
        `alter column ${quoteIdentifier(change.column)} type ${change.type}${using}`,
        'Postgres may rewrite the table; nobody reads or writes it meanwhile.',
      ]
    }
    case 'set_default':
      return [
        `alter column ${quoteIdentifier(change.column)} ${change.default === '' ? 'drop default' : `set default ${change.default}`}`,
      ]
    case 'set_nullable':
      return change.isNullable
        ? [`alter column ${quoteIdentifier(change.column)} drop not null`]
        : [`alter column ${quoteIdentifier(change.column)} set not null`, WRITES_WAIT]
    case 'add_key':
      return [`add ${change.isPrimary ? 'primary key' : 'unique'} (${namesOf(change.columns)})`, WRITES_WAIT]
    case 'add_check':
      return [`add check (${change.condition})`, WRITES_WAIT]
    case 'add_foreign_key': {
      const { schema, table, columns } = change.target
      const onDelete = change.onDelete === 'no action' ? '' : ` on delete ${change.onDelete}`
      return [
        `add foreign key (${namesOf(change.columns)}) references ${quoteName(schema, table)} (${namesOf(columns)})${onDelete}`,
        WRITES_WAIT,
      ]
    }
  }
}

function plan(change: TableChange, statements: readonly string[], notes: readonly string[] = []): PlannedChange {
  const about = 'table' in change ? change.table : change.name
  const words = `${change.kind}_${about}`.normalize('NFKD').replaceAll(/[^A-Za-z0-9]+/g, '_')
  return {
    statements,
    notes,
    name: words
      .toLowerCase()
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 60),
  }
}

function tableOf({ schema, table }: { readonly schema: string; readonly table: string }): string {
  return quoteName(schema, table)
}

function namesOf(names: readonly string[]): string {
  return names.map(quoteIdentifier).join(', ')
}

function columnSql({ name, type, isNullable, default: given }: NewColumn): string {
  const parts = [quoteIdentifier(name), type, ...(isNullable ? [] : ['not null'])]
  return [...parts, ...(given === undefined || given === '' ? [] : [`default ${given}`])].join(' ')
}
