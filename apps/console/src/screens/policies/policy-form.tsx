import { type JSX, useState } from 'react'
import { POLICY_COMMANDS, type TableChange, type TablePolicy } from '@holdfast/protocol'
import { FormDialog, Select, TextField } from '@holdfast/workspace'
import { type ChangedTable, namesOf } from '../tables/change-forms.ts'
import { PlanDialog } from '../tables/plan-dialog.tsx'

const COMMANDS = [
  ...POLICY_COMMANDS.map((value) => ({ value, label: value })),
  { value: 'all', label: 'all commands' },
] as const

const KINDS = [
  { value: 'permissive', label: 'Permissive: gives rows' },
  { value: 'restrictive', label: 'Restrictive: takes rows away' },
] as const

/** Describes a policy, then shows its SQL, which Postgres has tried. */
export function PolicyForm({
  on,
  policy,
  onClose,
}: {
  readonly on: ChangedTable
  /** The policy to edit; `undefined` creates one. */
  readonly policy: TablePolicy | undefined
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState(policy?.name ?? '')
  const [command, setCommand] = useState<TablePolicy['command']>(policy?.command ?? 'select')
  const [kind, setKind] = useState<string>('permissive')
  const [roles, setRoles] = useState(policy?.roles.join(', ') ?? 'authenticated')
  const [using, setUsing] = useState(policy?.using ?? '')
  const [check, setCheck] = useState(policy?.check ?? '')
  const [change, setChange] = useState<TableChange>()
  const title = policy ? `Edit ${policy.name}` : 'New policy'
  if (change) return <PlanDialog title={title} change={change} onBack={() => setChange(undefined)} onDone={onClose} />
  const hasUsing = command !== 'insert'
  const hasCheck = command !== 'select' && command !== 'delete'
  const build = (): TableChange => {
    const terms = {
      ...on,
      roles: namesOf(roles),
      ...(hasUsing && using.trim() !== '' && { using: using.trim() }),
      ...(hasCheck && check.trim() !== '' && { check: check.trim() }),
    }
    return policy
      ? { kind: 'alter_policy', ...terms, name: policy.name, to: name }
      : { kind: 'create_policy', ...terms, name, command, isPermissive: kind !== 'restrictive' }
  }
  const isRemoved = policy !== undefined && removesCondition(policy, using, check)
  return (
    <FormDialog
      title={title}
      submitLabel="Show SQL"
      size="md"
      isPending={false}
      isDisabled={name.trim() === '' || isRemoved}
      onSubmit={() => setChange(build())}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} autoComplete="off" />
      {policy ? (
        <FixedKind policy={policy} />
      ) : (
        <Kind command={command} onCommand={setCommand} kind={kind} onKind={setKind} />
      )}
      <TextField
        label="Roles"
        value={roles}
        onChange={setRoles}
        description="authenticated: signed-in users. anon: visitors. public: every role. Separated by commas"
        autoComplete="off"
        spellCheck={false}
      />
      {hasUsing ? (
        <Condition
          label="Using"
          value={using}
          onChange={setUsing}
          help="SQL over an existing row, such as owner = (select auth.uid())"
        />
      ) : null}
      {hasCheck ? (
        <Condition
          label="With check"
          value={check}
          onChange={setCheck}
          help={`SQL over the row as it would be${hasUsing ? '. Empty: as using' : ''}`}
        />
      ) : null}
      {isRemoved ? (
        <p role="status" className="text-small text-danger">
          Postgres cannot remove a condition. Write true, or drop the policy and create another.
        </p>
      ) : null}
    </FormDialog>
  )
}

/** Postgres cannot remove a condition. */
function removesCondition(before: TablePolicy, using: string, check: string): boolean {
  return (before.using !== null && using.trim() === '') || (before.check !== null && check.trim() === '')
}

function FixedKind({ policy: { isPermissive, command } }: { readonly policy: TablePolicy }): JSX.Element {
  return (
    <p className="text-small text-muted">
      {isPermissive ? 'Permissive' : 'Restrictive'}, for {command === 'all' ? 'all commands' : command}. To change this,
      drop the policy and create another.
    </p>
  )
}

function Kind({
  command,
  onCommand,
  kind,
  onKind,
}: {
  readonly command: TablePolicy['command']
  readonly onCommand: (command: TablePolicy['command']) => void
  readonly kind: string
  readonly onKind: (kind: string) => void
}): JSX.Element {
  return (
    <div className="flex flex-wrap gap-3">
      <Select
        label="Command"
        options={COMMANDS}
        value={command}
        onChange={(value) => onCommand(COMMANDS.find((one) => one.value === value)?.value ?? 'select')}
        className="w-44"
      />
      <Select label="Kind" options={KINDS} value={kind} onChange={onKind} className="min-w-52 flex-1" />
    </div>
  )
}

function Condition({
  label,
  value,
  onChange,
  help,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly help: string
}): JSX.Element {
  return (
    <TextField label={label} value={value} onChange={onChange} rows={3} isMono spellCheck={false} description={help} />
  )
}
