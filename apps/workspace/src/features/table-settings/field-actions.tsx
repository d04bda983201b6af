import { Pencil, Replace, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Field } from '../../lib/fields/field.ts'
import { convertFieldMessages } from '../../messages/convert-field.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import type { FieldTask } from './table-settings.tsx'

interface FieldAction {
  readonly id: string
  readonly label: string
  readonly icon: ReactNode
  readonly isDanger?: boolean
  readonly run: () => void
}

const ICON = { size: 16, 'aria-hidden': true } as const

/** Returns what owners and admins can do with a field. The dialog of a computed field also deletes it. */
export function fieldActions(
  field: Field,
  {
    onTask,
    onCompute,
  }: {
    readonly onTask: (task: FieldTask) => void
    readonly onCompute: (computing: { readonly edited: Field['computed'] }) => void
  },
): readonly FieldAction[] {
  if (field.isSystem) return []
  const edit = { id: 'rename-field', label: words.edit, icon: <Pencil {...ICON} /> }
  if (field.computed) return [{ ...edit, run: () => onCompute({ edited: field.computed }) }]
  const convert = { id: 'convert-field', label: convertFieldMessages.submit, icon: <Replace {...ICON} /> }
  return [
    { ...edit, run: () => onTask({ kind: 'edit', field }) },
    ...(field.isEditable ? [{ ...convert, run: () => onTask({ kind: 'convert', field }) }] : []),
    {
      id: 'delete-field',
      label: words.delete,
      icon: <Trash2 {...ICON} />,
      isDanger: true,
      run: () => onTask({ kind: 'delete', field }),
    },
  ]
}
