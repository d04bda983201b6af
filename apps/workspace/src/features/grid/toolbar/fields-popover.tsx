import type { ComputedField } from '@holdfast/protocol'
import { EyeOff } from 'lucide-react'
import { type JSX, useState } from 'react'
import { lateContent, lateLayer } from '../../../components/late-content.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { gridMessages as words } from '../../../messages/grid.ts'
import type { ComputedDialogProps } from '../computed/computed-dialog.tsx'
import { isHiddenAtFirst } from '../query/shown-fields.ts'
import type { FieldsProps } from './fields-form.tsx'
import { ToolPopover } from './tool-popover.tsx'

export const fieldsForm = lateContent<FieldsProps>(async () => (await import('./fields-form.tsx')).FieldsForm)
const computedDialog = lateLayer<ComputedDialogProps>(
  async () => (await import('../computed/computed-dialog.tsx')).ComputedDialog,
)

/** A computed field that is being added or changed. */
interface Computing {
  readonly workspace: string
  readonly edited: ComputedField | undefined
}

/** Returns the dialog of computed fields, and a function that opens it. It is outside the popover, which closes when the dialog opens and is gone in a narrow window. */
export function useComputing(table: TableInfo): {
  readonly dialog: JSX.Element | null
  readonly onCompute: FieldsProps['onCompute']
} {
  const [computing, setComputing] = useState<Computing>()
  return {
    dialog: computing ? (
      <computedDialog.Content table={table} {...computing} onClose={() => setComputing(undefined)} />
    ) : null,
    onCompute: (workspace, edited) => setComputing({ workspace, edited }),
  }
}

/** Chooses which fields the view shows, and adds computed ones. */
export function FieldsPopover(props: FieldsProps & { readonly table: TableInfo }): JSX.Element {
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
