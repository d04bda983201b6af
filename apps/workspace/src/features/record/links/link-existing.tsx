import { useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { OptionPicker } from '../../../components/fields/option-picker.tsx'
import { Notice } from '../../../components/notice.tsx'
import { showToast } from '../../../components/toast.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { matchSql } from '../../../lib/match-sql.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import { LINK_OPTIONS_MAX } from '../../../lib/records/use-link-options.ts'
import { quoteName } from '../../../lib/sql.ts'
import { relationMessages as words } from '../../../messages/relations.ts'

interface Option {
  readonly id: string
  readonly title: FieldValue
  /** What the record links to now, and its title. */
  readonly target: FieldValue
  readonly linked: FieldValue
}

/** Chooses a record whose field then links to the shown one. */
export function LinkExisting({
  table,
  field,
  recordId,
  writer,
  onClose,
}: {
  readonly table: TableInfo
  readonly field: Field
  readonly recordId: string
  readonly writer: RecordWriter
  readonly onClose: () => void
}): JSX.Element {
  const [text, setText] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const options = useOptions(table, field, recordId, text.trim())
  const link = async (id: string): Promise<void> => {
    const option = options?.find((one) => one.id === id)
    if (!option) return
    const name = titleOf(option)
    const notStored = await writer.tryWrite({
      label: words.linkOf(name),
      changes: [
        {
          kind: 'update',
          table: table.name,
          id,
          values: { [field.name]: recordId },
          before: { [field.name]: option.target },
        },
      ],
    })
    if (notStored) return setRefusal(notStored.kind === 'refused' ? notStored.words : undefined)
    showToast({ text: words.linked(name) })
    onClose()
  }
  return (
    <Dialog isOpen title={words.linkTo(table.noun)} onClose={onClose}>
      <div className="flex flex-col gap-3">
        {refusal === undefined ? null : <Notice tone="warning" role="alert" title={refusal} />}
        <div className="rounded-md border border-border">
          <OptionPicker
            label={table.label}
            options={options?.map((option) => ({ id: option.id, label: titleOf(option), content: contentOf(option) }))}
            selected={null}
            text={text}
            onTextChange={setText}
            onSelect={(id) => void link(id)}
          />
        </div>
      </div>
    </Dialog>
  )
}

function titleOf({ id, title }: Option): string {
  return title === null || title === '' ? id.slice(0, 8) : String(title)
}

function contentOf(option: Option): JSX.Element {
  const { target, linked } = option
  return (
    <span className="flex min-w-0 flex-col">
      <span className="truncate">{titleOf(option)}</span>
      {target === null ? null : (
        <span className="truncate text-small text-muted">{words.linkedTo(String(linked ?? target).slice(0, 120))}</span>
      )}
    </span>
  )
}

/** Returns the records that do not link to the shown one yet, unlinked ones first; `undefined` while loading. */
function useOptions(table: TableInfo, field: Field, recordId: string, text: string): readonly Option[] | undefined {
  const title = table.titleColumn === undefined ? 't.id' : `t.${quoteName(table.titleColumn)}`
  const target = `t.${quoteName(field.name)}`
  const linked = field.link?.titleColumn === undefined ? 'null' : labelSql(field, target)
  const has = matchSql(`coalesce(${title}, '')`, text)
  const { rows, isLoading } = useRecords<Option>(
    `select t.id as id, ${title} as title, ${target} as target, ${linked} as linked from ${quoteName(table.name)} t
      where ${target} is not ? and t.id <> ? and ${has.text}
      order by ${target} is not null, ${title} collate nocase, t.id limit ${LINK_OPTIONS_MAX}`,
    [recordId, recordId, ...has.values],
  )
  return isLoading ? undefined : rows
}
