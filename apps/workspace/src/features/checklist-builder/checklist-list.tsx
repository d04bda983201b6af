import { useRecords } from '@holdfast/react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { MoreHorizontal, Plus } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { Row, Rows } from '../../components/section.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import type { Checklist } from '../../lib/checklists/checklist.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import type { RecordChange, RecordValues } from '../../lib/records/record-change.ts'
import { quoteName } from '../../lib/sql.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import { copyOf, draftOf, isActive, versionOf } from './builder-changes.ts'

const ROUTE = '/w/$ws/t/$table/checklists'

/** The checklists of a table: open, create, duplicate, archive. */
export function ChecklistList({
  checklist,
  table,
}: {
  readonly checklist: Checklist
  readonly table: TableInfo
}): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table/checklists' })
  const navigate = useNavigate()
  const writer = useRecordWriter()
  const [isNaming, setNaming] = useState(false)
  const { templates, items } = checklist
  const title = templates.title === undefined ? 'id' : quoteName(templates.title)
  const all = useRecords<RecordValues>(
    `select * from ${quoteName(templates.table)} order by ${title} collate nocase, id limit 200`,
  )
  const questions = useRecords<RecordValues>(`select * from ${quoteName(items.table)}`)
  const params = { ws, table: table.name }
  const open = (id: string): Promise<void> => navigate({ to: ROUTE, params, search: { c: id } })
  const write = async (name: string, id: string, changes: readonly RecordChange[]): Promise<void> => {
    if (await writer.writeOrTell({ label: words.saving(name), changes })) await open(id)
  }
  return (
    <Page
      title={words.titleOf(table.label)}
      description={words.description}
      width="reading"
      actions={
        <Button tone="primary" icon={<Plus size={16} aria-hidden />} onPress={() => setNaming(true)}>
          {words.newChecklist}
        </Button>
      }
    >
      {all.isLoading || questions.isLoading ? <Skeleton rows={3} /> : null}
      <Rows label={words.title}>
        {all.rows.map((template) => {
          const id = String(template['id'])
          const own = questions.rows.filter((row) => row[items.template] === id)
          const stored = { template, items: own }
          const name = nameOf(checklist, template)
          return (
            <ChecklistRow
              key={id}
              {...{ checklist, template, name, params }}
              count={draftOf(checklist, stored, String).entries.filter(({ type }) => type === 'question').length}
              onDuplicate={() => {
                const copy = copyOf(checklist, stored, words.copyOf(name))
                void write(words.copyOf(name), copy.id, copy.changes)
              }}
              onActive={async (isActiveNow) => {
                const changes = activeChanges(checklist, template, isActiveNow)
                const isStored = await writer.writeOrTell({ label: words.saving(name), changes })
                if (isStored && !isActiveNow) showToast({ text: words.archivedNow(name) })
              }}
            />
          )
        })}
      </Rows>
      {isNaming ? (
        <NewChecklist
          onClose={() => setNaming(false)}
          onCreate={(name) => {
            const id = uuidV7()
            const values = {
              ...(templates.title !== undefined && { [templates.title]: name }),
              ...(templates.active !== undefined && { [templates.active]: 0 }),
              ...(templates.version !== undefined && { [templates.version]: 0 }),
            }
            return write(name, id, [{ kind: 'insert', table: templates.table, id, values }])
          }}
        />
      ) : null}
    </Page>
  )
}

/** Returns the changes that archive or restore a checklist. */
function activeChanges({ templates }: Checklist, template: RecordValues, active: boolean): readonly RecordChange[] {
  const { table, active: column } = templates
  if (column === undefined) return []
  const values = { [column]: Number(active) }
  return [{ kind: 'update', table, id: String(template['id']), values, before: { [column]: Number(!active) } }]
}

function nameOf({ templates }: Checklist, template: RecordValues): string {
  const name = templates.title === undefined ? null : template[templates.title]
  return name === null || name === undefined || name === '' ? words.untitled : String(name)
}

function ChecklistRow({
  checklist,
  template,
  name,
  count,
  params,
  onDuplicate,
  onActive,
}: {
  readonly checklist: Checklist
  readonly template: RecordValues
  readonly name: string
  readonly count: number
  readonly params: { readonly ws: string; readonly table: string }
  readonly onDuplicate: () => void
  readonly onActive: (isActive: boolean) => Promise<void>
}): JSX.Element {
  const id = String(template['id'])
  const version = versionOf(checklist, template)
  const isPublished = isActive(checklist, template)
  const { active } = checklist.templates
  const mark = isPublished ? null : (
    <Chip colour={version === 0 ? 'amber' : 'slate'}>{version === 0 ? words.draft : words.archived}</Chip>
  )
  return (
    <Row
      title={
        <Link
          to={ROUTE}
          params={params}
          search={{ c: id }}
          className="rounded-sm text-accent underline-offset-2 hover:underline"
        >
          {name}
        </Link>
      }
      mark={mark}
      actions={
        <>
          {isPublished && count > 0 ? (
            <LinkButton to="/w/$ws/t/$table/new" params={params} search={{ template: id }}>
              {words.fillIn}
            </LinkButton>
          ) : null}
          <MenuTrigger>
            <IconButton label={words.actionsOf(name)} icon={<MoreHorizontal size={18} aria-hidden />} />
            <Menu label={words.actionsOf(name)}>
              <MenuItem onAction={onDuplicate}>{words.duplicate}</MenuItem>
              {active === undefined || version === 0 ? null : (
                <MenuItem onAction={() => void onActive(!isPublished)}>
                  {isPublished ? words.archive : words.restore}
                </MenuItem>
              )}
            </Menu>
          </MenuTrigger>
        </>
      }
    >
      {[words.questionCount(count), ...(version > 0 ? [words.published(version)] : [])].join(' · ')}
    </Row>
  )
}

function NewChecklist({
  onCreate,
  onClose,
}: {
  readonly onCreate: (name: string) => Promise<void>
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState('')
  const [hasTried, setTried] = useState(false)
  const isMissing = name.trim() === ''
  return (
    <FormDialog
      title={words.newChecklist}
      submitLabel={words.create}
      isPending={false}
      onSubmit={async () => {
        setTried(true)
        if (!isMissing) await onCreate(name.trim())
      }}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        maxLength={120}
        onChange={setName}
        errorMessage={hasTried && isMissing ? words.nameMissing : undefined}
        // The dialog opens for this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
      />
    </FormDialog>
  )
}
