import type { JSX } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { recordMessages } from '../../../messages/record.ts'

export interface FieldsProps {
  readonly fields: readonly Field[]
  readonly shown: readonly Field[]
  readonly onToggle: (field: string) => void
}

/** A checkbox for each field; those that the database keeps are at the end. */
export function FieldsForm({ fields, shown, onToggle }: FieldsProps): JSX.Element {
  const isShown = new Set(shown.map(({ name }) => name))
  const own = fields.filter((field) => !field.isSystem)
  const box = (field: Field): JSX.Element => (
    <li key={field.name}>
      <Checkbox
        isSelected={isShown.has(field.name)}
        isDisabled={isShown.size === 1 && isShown.has(field.name)}
        onChange={() => onToggle(field.name)}
        className="w-full"
      >
        {field.label}
      </Checkbox>
    </li>
  )
  return (
    <>
      <ul className="flex flex-col">{own.map(box)}</ul>
      <p className="pt-3 pb-1 text-small font-medium text-muted">{recordMessages.system}</p>
      <ul className="flex flex-col">{fields.filter((field) => field.isSystem).map(box)}</ul>
    </>
  )
}
