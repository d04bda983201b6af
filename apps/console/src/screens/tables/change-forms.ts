import type { TableChange, TablePrivilege } from '@holdfast/protocol'

/** Answers of a form by field. */
export type Answers = Readonly<Record<string, string>>

export interface ChangeField {
  readonly name: string
  readonly label: string
  readonly help?: string
  /** Choices; a free text without them. */
  readonly options?: readonly string[]
  readonly initial?: string
  readonly isOptional?: boolean
}

/** A form for one kind of change. */
export interface ChangeForm {
  readonly title: string
  readonly fields: readonly ChangeField[]
  readonly build: (answers: Answers) => TableChange
}

export interface ChangedTable {
  readonly schema: string
  readonly table: string
}

const TYPE_HELP =
  'text, integer, bigint, numeric(10,2), boolean, date, timestamptz, uuid, jsonb, text[], or a type of yours'
const YES_NO = ['no', 'yes'] as const

/** Splits a list of names at commas. */
export function namesOf(text = ''): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

const typed = (name: string): ChangeField => ({
  name: 'confirmation',
  label: `Type “${name}” to confirm`,
})

/** Forms for a table. */
export const TABLE_FORMS = {
  add_column: (on: ChangedTable): ChangeForm => ({
    title: 'Add column',
    fields: [
      { name: 'name', label: 'Name' },
      { name: 'type', label: 'Type', help: TYPE_HELP, initial: 'text' },
      { name: 'nullable', label: 'May be null', options: ['yes', 'no'], initial: 'yes' },
      { name: 'default', label: 'Default', help: 'SQL, such as now() or ’open’. Empty: none', isOptional: true },
    ],
    build: ({ name = '', type = '', nullable, default: given = '' }) => ({
      kind: 'add_column',
      ...on,
      column: { name, type, isNullable: nullable === 'yes', ...(given !== '' && { default: given }) },
    }),
  }),
  add_key: (on: ChangedTable): ChangeForm => ({
    title: 'Add key',
    fields: [
      { name: 'kind', label: 'Kind', options: ['unique', 'primary key'], initial: 'unique' },
      { name: 'columns', label: 'Columns', help: 'Separated by commas' },
    ],
    build: ({ kind, columns }) => ({
      kind: 'add_key',
      ...on,
      isPrimary: kind === 'primary key',
      columns: namesOf(columns),
    }),
  }),
  add_foreign_key: (on: ChangedTable): ChangeForm => ({
    title: 'Add foreign key',
    fields: [
      { name: 'columns', label: 'Columns', help: 'Separated by commas' },
      { name: 'schema', label: 'Target schema', initial: 'public' },
      { name: 'target', label: 'Target table' },
      { name: 'targets', label: 'Target columns', initial: 'id' },
      {
        name: 'onDelete',
        label: 'When the target row is deleted',
        options: ['no action', 'restrict', 'cascade', 'set null', 'set default'],
        initial: 'no action',
      },
    ],
    build: ({ columns, schema = '', target = '', targets, onDelete }) => ({
      kind: 'add_foreign_key',
      ...on,
      columns: namesOf(columns),
      target: { schema, table: target, columns: namesOf(targets) },
      onDelete: onDelete as 'no action',
    }),
  }),
  add_check: (on: ChangedTable): ChangeForm => ({
    title: 'Add check',
    fields: [{ name: 'condition', label: 'Condition', help: 'SQL, such as amount > 0' }],
    build: ({ condition = '' }) => ({ kind: 'add_check', ...on, condition }),
  }),
  create_index: (on: ChangedTable): ChangeForm => ({
    title: 'Add index',
    fields: [
      { name: 'columns', label: 'Columns', help: 'Separated by commas' },
      { name: 'unique', label: 'Unique', options: YES_NO, initial: 'no' },
    ],
    build: ({ columns, unique }) => ({
      kind: 'create_index',
      ...on,
      columns: namesOf(columns),
      isUnique: unique === 'yes',
    }),
  }),
  set_grants: (on: ChangedTable): ChangeForm => ({
    title: 'Change grants',
    fields: [
      {
        name: 'role',
        label: 'Role',
        options: ['anon', 'authenticated', 'service_role'],
        initial: 'authenticated',
        help: 'anon: visitors. authenticated: signed-in users. service_role: the service key',
      },
      {
        name: 'privileges',
        label: 'May',
        help: 'select, insert, update, delete, separated by commas. Policies narrow it further',
        initial: 'select, insert, update, delete',
        isOptional: true,
      },
    ],
    build: ({ role = '', privileges }) => ({
      kind: 'set_grants',
      ...on,
      role,
      // The server checks them.
      privileges: namesOf(privileges) as readonly TablePrivilege[],
    }),
  }),
  rename_table: (on: ChangedTable): ChangeForm => ({
    title: 'Rename table',
    fields: [{ name: 'to', label: 'New name', initial: on.table }],
    build: ({ to = '' }) => ({ kind: 'rename_table', ...on, to }),
  }),
  drop_table: (on: ChangedTable): ChangeForm => ({
    title: `Drop ${on.table}`,
    fields: [typed(on.table)],
    build: ({ confirmation = '' }) => ({ kind: 'drop_table', ...on, confirmation }),
  }),
} as const

/** The switch of row-level security. */
export function rlsForm(on: ChangedTable, isOn: boolean): ChangeForm {
  return {
    title: isOn ? 'Turn off row-level security' : 'Turn on row-level security',
    fields: [],
    build: () => ({ kind: 'set_rls', ...on, rls: !isOn }),
  }
}

/** Forms for a column. */
export const COLUMN_FORMS = {
  rename_column: (on: ChangedTable, column: string): ChangeForm => ({
    title: `Rename ${column}`,
    fields: [{ name: 'to', label: 'New name', initial: column }],
    build: ({ to = '' }) => ({ kind: 'rename_column', ...on, column, to }),
  }),
  set_type: (on: ChangedTable, column: string): ChangeForm => ({
    title: `Change the type of ${column}`,
    fields: [
      { name: 'type', label: 'Type', help: TYPE_HELP },
      {
        name: 'using',
        label: 'Using',
        help: `SQL that makes the new value, such as ${column}::integer`,
        isOptional: true,
      },
    ],
    build: ({ type = '', using = '' }) => ({ kind: 'set_type', ...on, column, type, ...(using !== '' && { using }) }),
  }),
  set_default: (on: ChangedTable, column: string): ChangeForm => ({
    title: `Change the default of ${column}`,
    fields: [{ name: 'default', label: 'Default', help: 'SQL. Empty: no default', isOptional: true }],
    build: ({ default: given = '' }) => ({ kind: 'set_default', ...on, column, default: given }),
  }),
  set_nullable: (on: ChangedTable, column: string): ChangeForm => ({
    title: `Allow null in ${column}`,
    fields: [{ name: 'nullable', label: 'May be null', options: ['yes', 'no'], initial: 'yes' }],
    build: ({ nullable }) => ({ kind: 'set_nullable', ...on, column, isNullable: nullable === 'yes' }),
  }),
  drop_column: (on: ChangedTable, column: string): ChangeForm => ({
    title: `Drop ${column}`,
    fields: [typed(column)],
    build: ({ confirmation = '' }) => ({ kind: 'drop_column', ...on, column, confirmation }),
  }),
} as const

/** The form that drops a constraint, an index or a policy. */
export function dropForm(
  on: ChangedTable,
  kind: 'drop_constraint' | 'drop_index' | 'drop_policy',
  name: string,
): ChangeForm {
  return {
    title: `Drop ${name}`,
    fields: [typed(name)],
    build: ({ confirmation = '' }) => ({ kind, ...on, name, confirmation }),
  }
}

/** The form that creates an enum. */
export const ENUM_FORM: ChangeForm = {
  title: 'New enum',
  fields: [
    { name: 'schema', label: 'Schema', initial: 'public' },
    { name: 'name', label: 'Name' },
    { name: 'labels', label: 'Labels', help: 'In order, separated by commas' },
  ],
  build: ({ schema = '', name = '', labels }) => ({ kind: 'create_enum', schema, name, labels: namesOf(labels) }),
}
