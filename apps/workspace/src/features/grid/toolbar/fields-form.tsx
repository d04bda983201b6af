import { ArrowDown, ArrowUp } from 'lucide-react'
import type { JSX } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { moveField } from '../dress/view-looks.ts'
import { lookMessages as words } from '../../../messages/look.ts'
import { recordMessages } from '../../../messages/record.ts'

export interface FieldsProps {
  readonly fields: readonly Field[]
  readonly shown: readonly Field[]
  readonly onToggle: (field: string) => void
  /** Called with the setting for the view's field order. */
  readonly onOrder: (text: string) => void
}

/** A checkbox per field: visible fields first in their order, system fields last. */
export function FieldsForm({ fields, shown, onToggle, onOrder }: FieldsProps): JSX.Element {
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
      <p className="pt-3 pb-1 text-small font-medium text-muted">{recordMessages.system}</p>
      <ul className="flex flex-col">{fields.filter((field) => field.isSystem && !isShown.has(field.name)).map(box)}</ul>
    </>
  )
}
