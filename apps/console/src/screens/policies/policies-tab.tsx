import { Ellipsis, Plus } from 'lucide-react'
import { type JSX, useState } from 'react'
import {
  POLICY_COMMANDS,
  policiesOf,
  type PolicyCommand,
  type TableDetails,
  type TablePolicy,
} from '@holdfast/protocol'
import { Button, Chip, IconButton, Menu, MenuItem, MenuTrigger, NoRows, Notice, Section } from '@holdfast/workspace'
import { useHasRole } from '../../lib/session.ts'
import { ChangeDialog } from '../tables/change-dialog.tsx'
import { dropForm, rlsForm } from '../tables/change-forms.ts'
import { PolicyForm } from './policy-form.tsx'

/** What is open over the list. */
type Opened =
  | { readonly kind: 'create' | 'rls' }
  | { readonly kind: 'edit' | 'drop'; readonly policy: TablePolicy }
  | undefined

const COMMAND_TITLES: Readonly<Record<PolicyCommand, string>> = {
  select: 'Select',
  insert: 'Insert',
  update: 'Update',
  delete: 'Delete',
}

/** The policies of a table by command. One for all commands is listed under each. */
export function PoliciesTab({ details }: { readonly details: TableDetails }): JSX.Element {
  const { schema, name: table, policies, rls, grants } = details
  const on = { schema, table }
  const [opened, setOpened] = useState<Opened>()
  const mayChange = useHasRole('developer')
  const close = (): void => setOpened(undefined)
  return (
    <div className="flex flex-col gap-7">
      {mayChange ? (
        <div className="flex flex-wrap gap-2">
          <Button tone="primary" icon={<Plus size={16} aria-hidden />} onPress={() => setOpened({ kind: 'create' })}>
            New policy
          </Button>
          {details.isManaged ? null : (
            <Button onPress={() => setOpened({ kind: 'rls' })}>{`${rlsForm(on, rls !== 'off').title}…`}</Button>
          )}
        </div>
      ) : null}
      {rls === 'off' ? (
        <Notice tone="warning" title="Row-level security is off">
          Policies have no effect: roles with a grant read and change all rows.
        </Notice>
      ) : null}
      {POLICY_COMMANDS.map((command) => {
        const granted = grants.filter(({ privileges }) => privileges.includes(command)).map(({ role }) => role)
        const own = policiesOf(policies, command)
        return (
          <Section
            key={command}
            title={COMMAND_TITLES[command]}
            description={`Granted to ${granted.length === 0 ? 'no role of the API' : granted.join(', ')}.`}
          >
            {own.length === 0 ? (
              <NoRows>{rls === 'off' ? 'No policy' : `No policy: only the service key may ${command} rows`}</NoRows>
            ) : (
              <ul
                aria-label={`Policies for ${command}`}
                className="divide-y divide-border rounded-lg border border-border bg-raised"
              >
                {own.map((policy) => (
                  <PolicyItem
                    key={policy.name}
                    policy={policy}
                    command={command}
                    onOpen={mayChange ? (kind) => setOpened({ kind, policy }) : undefined}
                  />
                ))}
              </ul>
            )}
          </Section>
        )
      })}
      {opened?.kind === 'create' ? <PolicyForm on={on} policy={undefined} onClose={close} /> : null}
      {opened?.kind === 'edit' ? <PolicyForm on={on} policy={opened.policy} onClose={close} /> : null}
      {opened?.kind === 'drop' ? (
        <ChangeDialog form={dropForm(on, 'drop_policy', opened.policy.name)} onClose={close} />
      ) : null}
      {opened?.kind === 'rls' ? <ChangeDialog form={rlsForm(on, rls !== 'off')} onClose={close} /> : null}
    </div>
  )
}

function PolicyItem({
  policy: { name, command: of, isPermissive, roles, using, check },
  command,
  onOpen,
}: {
  readonly policy: TablePolicy
  readonly command: PolicyCommand
  /** `undefined` if the policy cannot be changed. */
  readonly onOpen: ((kind: 'edit' | 'drop') => void) | undefined
}): JSX.Element {
  // An insert has no existing row, so a policy for all commands checks the new one by USING if it has no WITH CHECK.
  const isChecking = command === 'insert' || command === 'update'
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
          <Chip colour={isPermissive ? 'green' : 'coral'}>{isPermissive ? 'permissive' : 'restrictive'}</Chip>
          {of === 'all' ? <Chip colour="slate">all commands</Chip> : null}
          <span className="text-small text-muted">for {roles.join(', ')}</span>
        </div>
        {command === 'insert' || using === null ? null : <Expression label="Using">{using}</Expression>}
        {isChecking && (check ?? using) !== null ? (
          <Expression label={check === null ? 'With check (as using)' : 'With check'}>
            {check ?? using ?? ''}
          </Expression>
        ) : null}
      </div>
      {onOpen ? (
        <MenuTrigger>
          <IconButton label={`Change ${name}`} size="sm" icon={<Ellipsis size={16} aria-hidden />} />
          <Menu label={`Change ${name}`}>
            <MenuItem onAction={() => onOpen('edit')}>Edit…</MenuItem>
            <MenuItem onAction={() => onOpen('drop')}>Drop…</MenuItem>
          </Menu>
        </MenuTrigger>
      ) : null}
    </li>
  )
}

/** SQL of a policy, with what it is. */
export function Expression({ label, children }: { readonly label: string; readonly children: string }): JSX.Element {
  return (
    <div className="flex flex-col gap-0.5">
      <span className="text-small text-muted">{label}</span>
      <code className="font-mono text-mono whitespace-pre-wrap [overflow-wrap:anywhere]">{children}</code>
    </div>
  )
}
