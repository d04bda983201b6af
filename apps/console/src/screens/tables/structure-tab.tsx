import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { type JSX, useState } from 'react'
import type {
  TableColumnDetails,
  TableConstraint,
  TableDetails,
  TableGrant,
  TableIndex,
  TablePolicy,
} from '@holdfast/protocol'
import {
  Button,
  Chip,
  IconButton,
  Menu,
  MenuItem,
  MenuSeparator,
  MenuTrigger,
  NoRows,
  Section,
} from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { type ChangedTable, type ChangeForm, COLUMN_FORMS, dropForm, rlsForm, TABLE_FORMS } from './change-forms.ts'

/** The definition of a table: columns, keys, indexes, policies, grants, triggers. */
export function StructureTab({ details }: { readonly details: TableDetails }): JSX.Element {
  const { columns, constraints, indexes, policies, referencedBy, triggers, grants, definition, key } = details
  const on = { schema: details.schema, table: details.name }
  const [form, setForm] = useState<ChangeForm>()
  const mayChange = useHasRole('developer') && details.readOnlyReason === null
  const dropping = (kind: 'drop_constraint' | 'drop_index') =>
    mayChange ? (name: string) => setForm(dropForm(on, kind, name)) : undefined
  return (
    <div className="flex flex-col gap-7">
      {mayChange ? <TableMenu details={details} onChoose={setForm} /> : null}
      {form ? <ChangeDialog form={form} onClose={() => setForm(undefined)} /> : null}
      <Section title="Columns">
        <DataTable
          label="Columns"
          columns={mayChange ? [...columnsOf(key ?? []), changeOf(on, setForm)] : columnsOf(key ?? [])}
          rows={columns}
          keyOf={({ name }) => name}
        />
      </Section>
      <Section title="Keys and constraints">
        <Listed
          label="Keys and constraints"
          columns={CONSTRAINTS}
          rows={constraints}
          onDrop={dropping('drop_constraint')}
        />
        {referencedBy.length === 0 ? null : (
          <p className="text-small text-muted">
            Referred to by{' '}
            {referencedBy.map(({ schema, name, constraint }, at) => (
              <span key={`${schema} ${name} ${constraint}`}>
                {at > 0 ? ', ' : ''}
                <Link to="/tables" search={{ schema, table: name }} className="text-accent hover:underline">
                  {schema === details.schema ? name : `${schema}.${name}`}
                </Link>
              </span>
            ))}
          </p>
        )}
      </Section>
      <Section title="Indexes">
        <Listed label="Indexes" columns={INDEXES} rows={indexes} onDrop={dropping('drop_index')} />
      </Section>
      <Section
        title="Policies"
        description={details.rls === 'off' ? 'Row-level security is off, so policies have no effect.' : undefined}
      >
        <Listed label="Policies" columns={POLICIES} rows={policies} />
      </Section>
      <Section title="Grants" description="What the roles of the API may do, before policies narrow it.">
        <DataTable label="Grants" columns={GRANTS} rows={grants} keyOf={({ role }) => role} />
      </Section>
      {triggers.length === 0 ? null : (
        <Section title="Triggers">
          <ul aria-label="Triggers" className="flex flex-col gap-1">
            {triggers.map((trigger) => (
              <li key={trigger}>
                <Code>{trigger}</Code>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {definition === null ? null : (
        <Section title="Definition">
          <TextBlock label="Definition" className="">
            {definition}
          </TextBlock>
        </Section>
      )}
    </div>
  )
}

function Code({ children }: { readonly children: string }): JSX.Element {
  return <code className="font-mono text-mono [overflow-wrap:anywhere]">{children}</code>
}

function Listed<Item extends { readonly name: string }>({
  label,
  columns,
  rows,
  onDrop,
}: {
  readonly label: string
  readonly columns: readonly TableColumn<Item>[]
  readonly rows: readonly Item[]
  readonly onDrop?: ((name: string) => void) | undefined
}): JSX.Element {
  return rows.length === 0 ? (
    <NoRows>None</NoRows>
  ) : (
    <DataTable
      label={label}
      columns={onDrop ? [...columns, dropOf<Item>(onDrop)] : columns}
      rows={rows}
      keyOf={({ name }) => name}
    />
  )
}

/** A column with a button that drops what a row describes. */
function dropOf<Item extends { readonly name: string }>(onDrop: (name: string) => void): TableColumn<Item> {
  return {
    id: 'drop',
    label: 'Change',
    cell: ({ name }) => (
      <Button size="sm" aria-label={`Drop ${name}`} onPress={() => onDrop(name)}>
        Drop…
      </Button>
    ),
  }
}

/** A column with the menu of each column of the table. */
function changeOf(on: ChangedTable, onChoose: (form: ChangeForm) => void): TableColumn<TableColumnDetails> {
  return {
    id: 'change',
    label: 'Change',
    cell: ({ name }) => <ColumnMenu on={on} column={name} onChoose={onChoose} />,
  }
}

interface MenuProps {
  readonly onChoose: (form: ChangeForm) => void
}

/** Changes of the whole table. */
function TableMenu({ details, onChoose }: MenuProps & { readonly details: TableDetails }): JSX.Element {
  const on = { schema: details.schema, table: details.name }
  const isOn = details.rls !== 'off'
  const item = (name: keyof typeof TABLE_FORMS): JSX.Element => {
    const form = TABLE_FORMS[name](on)
    return <MenuItem onAction={() => onChoose(form)}>{`${form.title}…`}</MenuItem>
  }
  return (
    <div>
      <MenuTrigger>
        <Button iconAfter={<Ellipsis size={16} aria-hidden />}>Change table</Button>
        <Menu label="Change table">
          {item('add_column')}
          {item('add_key')}
          {item('add_foreign_key')}
          {item('add_check')}
          {item('create_index')}
          <MenuSeparator />
          <MenuItem onAction={() => onChoose(rlsForm(on, isOn))}>{`${rlsForm(on, isOn).title}…`}</MenuItem>
          {item('set_grants')}
          <MenuSeparator />
          {item('rename_table')}
          {item('drop_table')}
        </Menu>
      </MenuTrigger>
    </div>
  )
}

const COLUMN_LABELS: Readonly<Record<keyof typeof COLUMN_FORMS, string>> = {
  rename_column: 'Rename…',
  set_type: 'Change type…',
  set_default: 'Change default…',
  set_nullable: 'Allow null…',
  drop_column: 'Drop…',
}

function ColumnMenu({
  on,
  column,
  onChoose,
}: MenuProps & {
  readonly on: ChangedTable
  readonly column: string
}): JSX.Element {
  return (
    <MenuTrigger>
      <IconButton label={`Change ${column}`} size="sm" icon={<Ellipsis size={16} aria-hidden />} />
      <Menu label={`Change ${column}`}>
        {(Object.keys(COLUMN_FORMS) as (keyof typeof COLUMN_FORMS)[]).map((name) => (
          <MenuItem key={name} onAction={() => onChoose(COLUMN_FORMS[name](on, column))}>
            {COLUMN_LABELS[name]}
          </MenuItem>
        ))}
      </Menu>
    </MenuTrigger>
  )
}

function columnsOf(key: readonly string[]): readonly TableColumn<TableColumnDetails>[] {
  return [
    {
      id: 'name',
      label: 'Name',
      cell: ({ name, isSecret }) => (
        <span className="flex flex-wrap items-center gap-2">
          {name}
          {key.includes(name) ? <Chip colour="blue">key</Chip> : null}
          {isSecret ? <Chip colour="coral">secret, not shown</Chip> : null}
        </span>
      ),
    },
    { id: 'type', label: 'Type', cell: ({ type, labels }) => (labels ? `${type}: ${labels.join(', ')}` : type) },
    { id: 'null', label: 'Null', cell: ({ isNullable }) => (isNullable ? 'yes' : 'no') },
    {
      id: 'default',
      label: 'Default',
      cell: ({ default: given, isGenerated }) =>
        given === null ? isGenerated ? 'generated' : '–' : <Code>{isGenerated ? `generated: ${given}` : given}</Code>,
    },
    { id: 'comment', label: 'Comment', cell: ({ comment }) => comment ?? '–' },
  ]
}

const CONSTRAINTS: readonly TableColumn<TableConstraint>[] = [
  { id: 'name', label: 'Name', cell: ({ name }) => name },
  { id: 'kind', label: 'Kind', cell: ({ kind }) => kind },
  { id: 'definition', label: 'Definition', cell: ({ definition }) => <Code>{definition}</Code> },
]

const INDEXES: readonly TableColumn<TableIndex>[] = [
  { id: 'name', label: 'Name', cell: ({ name, isValid }) => (isValid ? name : `${name} (invalid)`) },
  { id: 'definition', label: 'Definition', cell: ({ definition }) => <Code>{definition}</Code> },
  { id: 'bytes', label: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  { id: 'scans', label: 'Scans', isNumber: true, cell: ({ scans }) => formatCount(scans) },
]

const POLICIES: readonly TableColumn<TablePolicy>[] = [
  { id: 'name', label: 'Name', cell: ({ name, isPermissive }) => (isPermissive ? name : `${name} (restrictive)`) },
  { id: 'command', label: 'Command', cell: ({ command }) => command },
  { id: 'roles', label: 'Roles', cell: ({ roles }) => roles.join(', ') },
  { id: 'using', label: 'Using', cell: ({ using }) => (using === null ? '–' : <Code>{using}</Code>) },
  { id: 'check', label: 'With check', cell: ({ check }) => (check === null ? '–' : <Code>{check}</Code>) },
]

const GRANTS: readonly TableColumn<TableGrant>[] = [
  { id: 'role', label: 'Role', cell: ({ role }) => role },
  {
    id: 'privileges',
    label: 'May',
    cell: ({ privileges }) => (privileges.length === 0 ? 'nothing' : privileges.join(', ')),
  },
]
