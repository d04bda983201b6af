import { useRecords } from '@holdfast/react'
import { Plus, X } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import type { AutomatedTable } from './draft.ts'

/** Who is notified. */
export function RecipientsField({
  to,
  table,
  workspace,
  hasRecord,
  hasAddresses = false,
  isDisabled,
  onChange,
}: {
  readonly to: readonly string[]
  readonly table: AutomatedTable
  readonly workspace: string
  /** Whether runs have a record. */
  readonly hasRecord: boolean
  /** Whether owners can enter addresses of others. */
  readonly hasAddresses?: boolean
  readonly isDisabled: boolean
  readonly onChange: (to: readonly string[]) => void
}): JSX.Element {
  const { rows: members } = useRecords<{ readonly id: string; readonly name: string }>(
    "select id, name from hf_members where workspace_id = ? and status = 'active' order by name collate nocase, id",
    [workspace],
  )
  const options = [
    { value: 'admins', label: words.admins },
    ...(hasRecord ? [{ value: 'creator', label: words.creator }] : []),
    ...table.fields
      .filter(({ link }) => link?.table === 'hf_members')
      .map(({ name, label }) => ({ value: `field:${name}`, label: words.memberIn(label) })),
    ...members.map(({ id, name }) => ({ value: `member:${id}`, label: name })),
  ]
  const labelOf = (value: string): string =>
    options.find((one) => one.value === value)?.label ?? value.replace(/^email:/, '')
  const mayEnter = useWorkspace()?.role === 'owner'
  const list = (
    <ul aria-label={words.recipients} className="flex flex-wrap items-center gap-2">
      {to.map((one) => (
        <li key={one}>
          <Button
            size="sm"
            isDisabled={isDisabled}
            aria-label={words.removeRecipient(labelOf(one))}
            iconAfter={<X size={14} aria-hidden />}
            onPress={() => onChange(to.filter((kept) => kept !== one))}
          >
            {labelOf(one)}
          </Button>
        </li>
      ))}
      {isDisabled ? null : (
        <li>
          <MenuTrigger>
            <Button tone="quiet" size="sm" icon={<Plus size={14} aria-hidden />}>
              {words.addRecipient}
            </Button>
            <Menu label={words.addRecipient} className="max-h-80 w-64">
              {options
                .filter(({ value }) => !to.includes(value))
                .map(({ value, label }) => (
                  <MenuItem key={value} onAction={() => onChange([...to, value])}>
                    {label}
                  </MenuItem>
                ))}
            </Menu>
          </MenuTrigger>
        </li>
      )}
    </ul>
  )
  if (!hasAddresses) return list
  return (
    <div className="flex flex-col gap-2">
      {list}
      {isDisabled ? null : mayEnter ? (
        <AddressField onEnter={(address) => onChange([...new Set([...to, `email:${address}`])])} />
      ) : (
        <p className="text-small text-muted">{words.onlyOwnersEnter}</p>
      )}
    </div>
  )
}

/** Adds an address that belongs to no member. */
function AddressField({ onEnter }: { readonly onEnter: (address: string) => void }): JSX.Element {
  const [address, setAddress] = useState('')
  const isAddress = /^[^@\s<>",;]+@[^@\s<>",;]+$/.test(address)
  const add = (): void => {
    if (!isAddress) return
    onEnter(address)
    setAddress('')
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      <TextField
        label={words.otherAddress}
        type="email"
        inputMode="email"
        autoComplete="off"
        maxLength={254}
        className="min-w-0 flex-1"
        value={address}
        onChange={(text) => setAddress(text.trim())}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <Button isDisabled={!isAddress} onPress={add}>
        {words.addAddress}
      </Button>
    </div>
  )
}
