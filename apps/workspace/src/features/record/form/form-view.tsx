import { useJudgements, useRecords, useSchema } from '@holdfast/react'
import { useParams } from '@tanstack/react-router'
import { Globe, Link2, Pencil } from 'lucide-react'
import { type JSX, type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { lateContent } from '../../../components/late-content.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { LinkButton } from '../../../components/link.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { type DraftRow, toDraft } from '../../../lib/records/drafts.ts'
import { useMayAdd } from '../../../lib/records/use-may-add.ts'
import { canChange, useWorkspace } from '../../../lib/records/use-workspace.ts'
import { type SavedView, VIEWS_TABLE } from '../../../lib/views/use-views.ts'
import { isOfFiles } from '../../../lib/fields/field.ts'
import { usePhotoTable } from '../../../lib/photos/use-photo-table.ts'
import { fileMessages } from '../../../messages/files.ts'
import { formMessages as words } from '../../../messages/form.ts'
import { publishMessages } from '../../../messages/public-form.ts'
import { recordMessages } from '../../../messages/record.ts'
import { askedFields } from './asked-fields.ts'
import { FormEditor, type FormViewProps } from './form-editor.tsx'
import { FormFields } from './form-fields.tsx'
import { newDraft } from './use-form.ts'
import { copyText } from '../../../components/copy-text.ts'

/** Loaded on demand because few publish forms. */
const { Content: PublishDialog } = lateContent(async () => (await import('./publish-dialog.tsx')).PublishDialog)

/** Selects the draft of a form by the id of its view. */
const FORM_DRAFT_SQL = `select id, table_name, field_values from hf_local_drafts
                         where form_id = ? and table_name = ? order by updated_at desc limit 1`

/** A view that creates records, one question below the other. Input stays on this device until it is saved. */
export function FormView(props: FormViewProps): JSX.Element {
  const { table, fields, view, saved } = props
  const setting = view.settings.form
  const asked = useMemo(() => askedFields(fields, setting), [fields, setting])
  const found = usePhotoTable(table.name)
  const files = found?.isOfFields ? found : undefined
  const askedHere = useMemo(
    () => asked.filter(({ field }) => files !== undefined || !isOfFiles(field.format)),
    [asked, files],
  )
  const [isEditing, setEditing] = useState(false)
  const [isPublishing, setPublishing] = useState(false)
  const owner = useOwnerWorkspace(table)
  const canEdit = useMayEdit(saved)
  const mayAdd = useMayAdd(table)
  const { rows, isLoading } = useRecords<DraftRow>(FORM_DRAFT_SQL, [saved.id, table.name])
  const [stored] = rows
  return (
    <div className="min-h-0 flex-1 overflow-auto overscroll-contain bg-surface">
      <div className="mx-auto flex w-full max-w-xl flex-col gap-4 px-3 py-4 tablet:py-8">
        <div className="flex flex-wrap items-center gap-1">
          <h2 className="mr-auto min-w-40 flex-1 text-title [overflow-wrap:anywhere]">{saved.name}</h2>
          <IconButton label={words.copyLink} icon={<Link2 size={18} aria-hidden />} onPress={() => void copyLink()} />
          {owner !== undefined && !isEditing ? (
            <Button size="sm" icon={<Globe size={14} aria-hidden />} onPress={() => setPublishing(true)}>
              {publishMessages.open}
            </Button>
          ) : null}
          {canEdit && !isEditing ? (
            <Button size="sm" icon={<Pencil size={14} aria-hidden />} onPress={() => setEditing(true)}>
              {words.edit}
            </Button>
          ) : null}
        </div>
        {isEditing ? (
          <Sheet>
            <FormEditor {...props} asked={asked} onDone={() => setEditing(false)} />
          </Sheet>
        ) : mayAdd === undefined ? null : !mayAdd ? (
          <EmptyState title={words.readOnly} {...(stored && { action: <BegunLink {...{ table, stored }} /> })}>
            {words.readOnlyDetail}
          </EmptyState>
        ) : askedHere.length === 0 ? (
          <EmptyState title={words.empty}>{canEdit ? words.emptyDetail : null}</EmptyState>
        ) : isLoading ? null : (
          <Sheet>
            <FormFields
              {...{ table, fields, files, asked: askedHere }}
              begun={stored ? { ...toDraft(stored), form: saved.id } : newDraft(table.name, saved.id)}
              onOpenRecord={view.openRecord}
            />
            {askedHere.length < asked.length ? (
              <p className="pt-4 text-small text-muted">{fileMessages.afterCreate}</p>
            ) : null}
          </Sheet>
        )}
        {owner !== undefined && isPublishing ? (
          <PublishDialog workspace={owner} {...{ saved, asked }} onClose={() => setPublishing(false)} />
        ) : null}
      </div>
    </div>
  )
}

/** Id of the workspace that created the table, if the user is an admin of it; only then the form can be published. */
function useOwnerWorkspace({ madeIn }: TableInfo): string | undefined {
  const workspace = useWorkspace()
  const hasForms = useSchema().tables.some(({ name }) => name === 'hf_public_forms')
  return hasForms && workspace != null && madeIn === workspace.id && canChange(workspace) ? workspace.id : undefined
}

/** Lets users who may no longer add records read and copy their input. */
function BegunLink({ table, stored }: Pick<FormViewProps, 'table'> & { readonly stored: DraftRow }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  return (
    <LinkButton to="/w/$ws/t/$table/r/$record" params={{ ws, table: table.name, record: stored.id }}>
      {words.toBegun}
    </LinkButton>
  )
}

function Sheet({ children }: { readonly children: ReactNode }): JSX.Element {
  return <div className="rounded-lg border border-border bg-bg p-4 tablet:p-6">{children}</div>
}

/** Whether the user may change the view, as far as this device knows. */
function useMayEdit({ row }: SavedView): boolean {
  const values = { ...row }
  const [judgement] =
    useJudgements([{ table: VIEWS_TABLE, command: 'update', before: values, after: values, changed: ['config'] }]) ?? []
  return judgement !== undefined && judgement.kind !== 'refused'
}

/** Copies the form's URL. Members who open it get the same questions. */
function copyLink(): Promise<void> {
  return copyText(`${location.origin}${location.pathname}`, recordMessages.copied)
}
