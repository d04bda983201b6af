import { EyeOff } from 'lucide-react'
import type { JSX } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Popover, PopoverTrigger } from '../../../components/popover.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { gridMessages as words } from '../../../messages/grid.ts'
import { recordMessages } from '../../../messages/record.ts'
import { isHiddenAtFirst } from '../query/shown-fields.ts'
import { ToolButton } from './tool-button.tsx'

/** Which fields the view shows; those that the database keeps are at the end. */
export function FieldsPopover({
  fields,
  shown,
  onToggle,
}: {
  readonly fields: readonly Field[]
  readonly shown: readonly Field[]
  readonly onToggle: (field: string) => void
}): JSX.Element {
  const isShown = new Set(shown.map(({ name }) => name))
  const own = fields.filter((field) => !field.isSystem)
  const hidden = own.filter((field) => !isHiddenAtFirst(field) && !isShown.has(field.name)).length
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
    <PopoverTrigger>
      <ToolButton
        label={hidden === 0 ? words.fields : words.fieldsHidden(hidden)}
        text={words.fields}
        count={hidden}
        icon={<EyeOff size={16} aria-hidden />}
      />
      <Popover label={words.fields} placement="bottom start" className="w-64 p-3">
        <ul className="flex flex-col">{own.map(box)}</ul>
        <p className="pt-3 pb-1 text-small font-medium text-muted">{recordMessages.system}</p>
        <ul className="flex flex-col">{fields.filter((field) => field.isSystem).map(box)}</ul>
      </Popover>
    </PopoverTrigger>
  )
}
