import type { ComputedField } from '@holdfast/protocol'
import { ArrowDown, ArrowUp, Pencil, SquareFunction } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { useMayCompute } from '../computed/use-may-compute.ts'
import { moveField } from '../dress/view-looks.ts'
import { computedMessages } from '../../../messages/computed.ts'
import { lookMessages as words } from '../../../messages/look.ts'
import { recordMessages } from '../../../messages/record.ts'

export interface FieldsProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly shown: readonly Field[]
  readonly onToggle: (field: string) => void
  /** Called with the setting for the view's field order. */
  readonly onOrder: (text: string) => void
  /** @param edited - `undefined` adds a computed field */
  readonly onCompute: (workspace: string, edited: ComputedField | undefined) => void
}

/** A checkbox per field: visible fields first in their order, system fields last. */
export function FieldsForm({ table, fields, shown, onToggle, onOrder, onCompute }: FieldsProps): JSX.Element {
  const workspace = useMayCompute(table)
  const isShown = new Set(shown.map(({ name }) => name))
  const own = [...shown, ...fields.filter((field) => !field.isSystem && !isShown.has(field.name))]
  const box = (field: Field): JSX.Element => (
    <li key={field.name} className="flex items-center">
      <Checkbox
        isSelected={isShown.has(field.name)}
        isDisabled={isShown.size === 1 && isShown.has(field.name)}
        onChange={() => onToggle(field.name)}
        className="min-w-0 flex-1"
      >
        {field.label}
      </Checkbox>
      {workspace !== undefined && field.computed ? (
        <IconButton
          size="sm"
          label={computedMessages.edit(field.label)}
          icon={<Pencil size={14} aria-hidden />}
          onPress={() => onCompute(workspace, field.computed?.of)}
        />
      ) : null}
      {isShown.has(field.name) ? (
        <>
          <IconButton
            size="sm"
            label={words.moveUp(field.label)}
            icon={<ArrowUp size={14} aria-hidden />}
            isDisabled={field === shown[0]}
            onPress={() => onOrder(moveField(shown, field.name, -1))}
          />
          <IconButton
            size="sm"
            label={words.moveDown(field.label)}
            icon={<ArrowDown size={14} aria-hidden />}
            isDisabled={field === shown.at(-1)}
            onPress={() => onOrder(moveField(shown, field.name, 1))}
          />
        </>
      ) : null}
    </li>
  )
  return (
    <>
      <ul className="flex flex-col">{own.map(box)}</ul>
      {workspace === undefined ? null : (
        <div className="pt-2">
          <Button
            size="sm"
            tone="quiet"
            icon={<SquareFunction size={16} aria-hidden />}
            onPress={() => onCompute(workspace, undefined)}
          >
            {computedMessages.add}
          </Button>
        </div>
      )}
      <p className="pt-3 pb-1 text-small font-medium text-muted">{recordMessages.system}</p>
      <ul className="flex flex-col">{fields.filter((field) => field.isSystem && !isShown.has(field.name)).map(box)}</ul>
    </>
  )
}
