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

/** Chooses which fields the view shows, and adds computed ones. */
export function FieldsPopover(props: Omit<FieldsProps, 'onCompute'> & { readonly table: TableInfo }): JSX.Element {
  // Outside the popover, which closes when the dialog opens.
  const [computing, setComputing] = useState<{
    readonly workspace: string
    readonly edited: ComputedField | undefined
  }>()
  const isShown = new Set(props.shown.map(({ name }) => name))
  const hidden = props.fields.filter(
    (field) => !field.isSystem && !isHiddenAtFirst(field) && !isShown.has(field.name),
  ).length
  return (
    <>
      <ToolPopover
        label={hidden === 0 ? words.fields : words.fieldsHidden(hidden)}
        text={words.fields}
        count={hidden}
        icon={<EyeOff size={16} aria-hidden />}
        className="w-64"
      >
        <fieldsForm.Content {...props} onCompute={(workspace, edited) => setComputing({ workspace, edited })} />
      </ToolPopover>
      {computing ? (
        <computedDialog.Content table={props.table} {...computing} onClose={() => setComputing(undefined)} />
      ) : null}
    </>
  )
}
