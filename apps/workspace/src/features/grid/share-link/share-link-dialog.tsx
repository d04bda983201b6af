import { useRecords, useSchema } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { copyText } from '../../../components/copy-text.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Row, Rows, Section } from '../../../components/section.tsx'
import { Select } from '../../../components/select.tsx'
import { SharedLink } from '../../../components/shared-link.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { showToast } from '../../../components/toast.tsx'
import { useCall } from '../../../hooks/use-call.ts'
import { useOnline } from '../../../hooks/use-online.ts'
import { useToday } from '../../../hooks/use-today.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useWordedSchema } from '../../../lib/data/use-tables.tsx'
import { addDays } from '../../../lib/fields/dates.ts'
import { type Field, fieldsOf } from '../../../lib/fields/field.ts'
import { formatAgo } from '../../../lib/format.ts'
import { pageLocale } from '../../../lib/language.ts'
import { viewLinkMessages as words, viewLinkRefusals } from '../../../messages/view-links.ts'
import type { ViewShape } from '../use-grid-view.ts'
import { canBeShared, isSharedAtFirst, sharedViewOf } from './shared-view.ts'

export interface ShareLinkProps {
  readonly table: TableInfo
  readonly view: ViewShape
  /** Id of the workspace that made the table. */
  readonly workspace: string
  readonly onClose: () => void
}

const DAYS = ['7', '30', '90'] as const
const OTHER = 'date'

const addressOf = (slug: string): string => `${location.origin}/app/v1/views/${slug}`

/** Shares the view as a page for anybody with the link, and lists the links of the table. */
export function ShareLinkDialog(props: ShareLinkProps): JSX.Element {
  const [made, setMade] = useState<{ readonly slug: string; readonly name: string }>()
  if (made === undefined) return <NewLink {...props} onMade={setMade} />
  return (
    <Dialog
      title={words.made}
      isOpen
      onClose={props.onClose}
      actions={
        <Button tone="primary" onPress={props.onClose}>
          {words.done}
        </Button>
      }
    >
      <SharedLink address={addressOf(made.slug)} title={made.name} />
    </Dialog>
  )
}

function NewLink({
  table,
  view,
  workspace,
  onClose,
  onMade,
}: ShareLinkProps & {
  readonly onMade: (link: { readonly slug: string; readonly name: string }) => void
}): JSX.Element {
  const schema = useWordedSchema()
  const fields = fieldsOf(table.descriptor, schema).filter(canBeShared)
  const today = useToday()
  const isOnline = useOnline()
  const call = useCall(viewLinkRefusals)
  const [name, setName] = useState(view.saved?.name ?? table.label)
  const [expiry, setExpiry] = useState<string>('30')
  const [day, setDay] = useState(() => addDays(today, 30))
  const [chosen, setChosen] = useState(
    () => new Set(fields.filter((field) => isSharedAtFirst(field, view.shown)).map((field) => field.name)),
  )
  const own = fields.filter((field) => chosen.has(field.name))
  // In the order of the view.
  const places = new Map(view.shown.map((field, at) => [field.name, at]))
  const inOrder = own.toSorted((a, b) => (places.get(a.name) ?? 999) - (places.get(b.name) ?? 999))
  const shared = sharedViewOf(view, fieldsOf(table.descriptor, schema), inOrder, schema)
  const create = async (): Promise<void> => {
    if (name.trim() === '' || own.length === 0 || shared.kind === 'impossible') return
    const until = new Date(`${expiry === OTHER ? day : addDays(today, Number(expiry))}T23:59:59`)
    const made = await call.run<{ readonly slug: string }>('create_view_link', {
      workspace,
      table_name: table.descriptor.table,
      view: view.saved?.id ?? null,
      name: name.trim(),
      definition: shared.definition,
      expires_at: until.toISOString(),
    })
    if (made) onMade({ slug: made.result.slug, name: name.trim() })
  }
  return (
    <FormDialog
      title={words.title}
      submitLabel={words.create}
      closeLabel={words.done}
      isPending={call.isPending}
      isDisabled={!isOnline || own.length === 0 || shared.kind === 'impossible'}
      onSubmit={create}
      onClose={onClose}
    >
      <p className="text-muted">{words.lead}</p>
      <TextField
        label={words.name}
        value={name}
        maxLength={120}
        onChange={setName}
        errorMessage={name.trim() === '' ? words.nameMissing : undefined}
      />
      <Select
        label={words.expires}
        value={expiry}
        options={[
          ...DAYS.map((days) => ({ value: days, label: words.days(Number(days)) })),
          { value: OTHER, label: words.onDate },
        ]}
        onChange={setExpiry}
      />
      {expiry === OTHER ? <TextField label={words.date} type="date" value={day} onChange={setDay} /> : null}
      <FieldChoice fields={fields} chosen={chosen} onChange={setChosen} />
      {shared.kind === 'impossible' ? (
        <Notice tone="warning" title={words.impossible(shared.fields.join(', '))} />
      ) : null}
      {isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
      <CallFailureText failure={call.failure} />
      <Links table={table} />
    </FormDialog>
  )
}

function FieldChoice({
  fields,
  chosen,
  onChange,
}: {
  readonly fields: readonly Field[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: Set<string>) => void
}): JSX.Element {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 text-small font-medium">{words.fields}</legend>
      <div className="grid gap-x-4 tablet:grid-cols-2">
        {fields.map(({ name, label }) => (
          <Checkbox
            key={name}
            isSelected={chosen.has(name)}
            onChange={(isOn) => onChange(new Set(isOn ? [...chosen, name] : [...chosen].filter((one) => one !== name)))}
          >
            {label}
          </Checkbox>
        ))}
      </div>
      <p className="text-small text-muted">{words.fieldsDetail}</p>
    </fieldset>
  )
}

interface LinkRow {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly expires_at: string
  readonly opened_at: string | null
}

/** The links of the table that still work. */
function Links({ table }: { readonly table: TableInfo }): JSX.Element | null {
  const hasLinks = useSchema().tables.some(({ name }) => name === 'hf_view_links')
  const revoke = useCall(viewLinkRefusals)
  const { rows } = useRecords<LinkRow>(
    hasLinks
      ? `select id, name, slug, expires_at, opened_at from hf_view_links
          where table_name = ? and revoked_at is null and datetime(expires_at) > datetime('now') order by created_at desc`
      : '',
    [table.descriptor.table],
  )
  if (rows.length === 0) return null
  return (
    <Section title={words.links}>
      <Rows label={words.links}>
        {rows.map((link) => (
          <Row
            key={link.id}
            title={link.name}
            actions={
              <>
                <Button
                  size="sm"
                  aria-label={words.copyOf(link.name)}
                  onPress={() => void copyText(addressOf(link.slug), words.copied)}
                >
                  {words.copy}
                </Button>
                <Button
                  size="sm"
                  tone="danger"
                  aria-label={words.revokeOf(link.name)}
                  isDisabled={revoke.isPending}
                  onPress={async () => {
                    if (await revoke.run('revoke_view_link', { link: link.id })) showToast({ text: words.revoked })
                  }}
                >
                  {words.revoke}
                </Button>
              </>
            }
          >
            {words.until(new Date(link.expires_at).toLocaleDateString(pageLocale()))}
            {' · '}
            {link.opened_at === null ? words.neverOpened : words.opened(formatAgo(new Date(link.opened_at)))}
          </Row>
        ))}
      </Rows>
      <CallFailureText failure={revoke.failure} />
    </Section>
  )
}
