import { EyeOff } from 'lucide-react'
import type { JSX } from 'react'
import { lateContent } from '../../../components/late-content.tsx'
import { gridMessages as words } from '../../../messages/grid.ts'
import { isHiddenAtFirst } from '../query/shown-fields.ts'
import type { FieldsProps } from './fields-form.tsx'
import { ToolPopover } from './tool-popover.tsx'

export const fieldsForm = lateContent<FieldsProps>(async () => (await import('./fields-form.tsx')).FieldsForm)

/** Chooses which fields the view shows. */
export function FieldsPopover(props: FieldsProps): JSX.Element {
  const isShown = new Set(props.shown.map(({ name }) => name))
  const hidden = props.fields.filter(
    (field) => !field.isSystem && !isHiddenAtFirst(field) && !isShown.has(field.name),
  ).length
  return (
    <ToolPopover
      label={hidden === 0 ? words.fields : words.fieldsHidden(hidden)}
      text={words.fields}
      count={hidden}
      icon={<EyeOff size={16} aria-hidden />}
      className="w-64"
    >
      <fieldsForm.Content {...props} />
    </ToolPopover>
  )
}
