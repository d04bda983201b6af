import { Plus, X } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { TableChange } from '@holdfast/protocol'
import { Button, Checkbox, FormDialog, IconButton, Select, TextField } from '@holdfast/workspace'
import { PlanDialog } from './plan-dialog.tsx'

interface DraftColumn {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly default: string
  readonly isNullable: boolean
  readonly isKey: boolean
}

const draft = (id: number, given: Partial<DraftColumn> = {}): DraftColumn => ({
  id,
  name: '',
  type: 'text',
  default: '',
  isNullable: true,
  isKey: false,
  ...given,
})

const FIRST = [
  draft(1, { name: 'id', type: 'uuid', default: 'gen_random_uuid()', isNullable: false, isKey: true }),
  draft(2, { name: 'created_at', type: 'timestamptz', default: 'now()', isNullable: false }),
]

const GRANTS = [
  { value: 'authenticated', label: 'Signed-in users (authenticated)' },
  { value: 'anon', label: 'Visitors too (anon, authenticated)' },
  { value: 'none', label: 'Only the service key' },
] as const

/** Describes a new table, then shows its SQL. Row-level security is on unless switched off. */
export function NewTable({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [schema, setSchema] = useState('public')
  const [table, setTable] = useState('')
  const [columns, setColumns] = useState<readonly DraftColumn[]>(FIRST)
  const [rls, setRls] = useState(true)
  const [grants, setGrants] = useState<'none' | 'authenticated' | 'anon'>('authenticated')
  const [change, setChange] = useState<TableChange>()
  if (change)
    return <PlanDialog title="New table" change={change} onBack={() => setChange(undefined)} onDone={onClose} />
  const build = (): TableChange => ({
    kind: 'create_table',
    schema,
    table,
    columns: columns.map(({ name, type, isNullable, default: given }) => ({
      name,
      type,
      isNullable,
      ...(given !== '' && { default: given }),
    })),
    key: columns.filter(({ isKey }) => isKey).map(({ name }) => name),
    rls,
    grants,
  })
  const isComplete =
    schema !== '' && table !== '' && columns.length > 0 && columns.every(({ name, type }) => name && type)
  return (
    <FormDialog
      title="New table"
      submitLabel="Show SQL"
      size="md"
      isPending={false}
      isDisabled={!isComplete}
      onSubmit={() => setChange(build())}
      onClose={onClose}
    >
      <div className="flex gap-3">
        <TextField label="Schema" value={schema} onChange={setSchema} className="w-36" />
        <TextField label="Name" value={table} onChange={setTable} className="min-w-0 flex-1" autoComplete="off" />
      </div>
      <fieldset className="flex flex-col gap-3">
        <legend className="pb-2 text-small font-medium">Columns</legend>
        {columns.map((column, at) => (
          <ColumnRow
            key={column.id}
            place={at + 1}
            column={column}
            onChange={(next) => setColumns(columns.map((one) => (one.id === next.id ? next : one)))}
            onRemove={() => setColumns(columns.filter(({ id }) => id !== column.id))}
          />
        ))}
        <div>
          <Button
            size="sm"
            icon={<Plus size={14} aria-hidden />}
            onPress={() => setColumns([...columns, draft(Math.max(0, ...columns.map(({ id }) => id)) + 1)])}
          >
            Add column
          </Button>
        </div>
      </fieldset>
      <Checkbox isSelected={rls} onChange={setRls}>
        Row-level security
      </Checkbox>
      <Select
        label="Grants"
        description="Who reaches the table over the API. Policies then decide about each row."
        options={GRANTS}
        value={grants}
        onChange={(chosen) => setGrants(GRANTS.find(({ value }) => value === chosen)?.value ?? 'none')}
      />
    </FormDialog>
  )
}

function ColumnRow({
  place,
  column,
  onChange,
  onRemove,
}: {
  readonly place: number
  readonly column: DraftColumn
  readonly onChange: (column: DraftColumn) => void
  readonly onRemove: () => void
}): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TextField
        label={`Name of column ${place}`}
        isLabelHidden
        placeholder="name"
        value={column.name}
        onChange={(name) => onChange({ ...column, name })}
        className="w-36 flex-1"
      />
      <TextField
        label={`Type of column ${place}`}
        isLabelHidden
        placeholder="type"
        value={column.type}
        onChange={(type) => onChange({ ...column, type })}
        className="w-28 flex-1"
      />
      <TextField
        label={`Default of column ${place}`}
        isLabelHidden
        placeholder="default"
        value={column.default}
        onChange={(given) => onChange({ ...column, default: given })}
        className="w-32 flex-1"
      />
      <Checkbox isSelected={column.isNullable} onChange={(isNullable) => onChange({ ...column, isNullable })}>
        Null
      </Checkbox>
      <Checkbox isSelected={column.isKey} onChange={(isKey) => onChange({ ...column, isKey })}>
        Key
      </Checkbox>
      <IconButton label={`Remove column ${place}`} size="sm" icon={<X size={14} aria-hidden />} onPress={onRemove} />
    </div>
  )
}
