import { useRecords } from '@holdfast/react'
import { Eye, EyeOff, Pencil } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Row, Rows, Section } from '../../components/section.tsx'
import { Select } from '../../components/select.tsx'
import { useAsk } from '../../hooks/use-ask.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableRulesMessages as words, tableRulesRefusals } from '../../messages/table-rules.ts'
import { seeAs, type SeenAs } from './access-calls.ts'
import { type AccessRules, reasonOf } from './access-rules.ts'

/** Checks what a member sees, by the rules in force. */
export function SeeAsSection({
  workspace,
  table,
  rules,
  fields,
}: {
  readonly workspace: string
  readonly table: TableInfo
  /** In force. */
  readonly rules: AccessRules
  readonly fields: readonly Field[]
}): JSX.Element {
  const backend = useBackend()
  const isOnline = useOnline()
  const { rows: members } = useRecords<{ readonly id: string; readonly name: string }>(
    "select id, name from hf_members where workspace_id = ? and status = 'active' order by name, id",
    [workspace],
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const { answer, failure, isPending, ask, forget } = useAsk<SeenAs>(tableRulesRefusals)
  const counts = answer?.tables.find((one) => one.table === table.descriptor.table)
  return (
    <Section title={words.seeAs} description={words.seeAsDetail}>
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={words.member}
          className="w-64"
          value={chosen}
          options={members.map(({ id, name }) => ({ value: id, label: name }))}
          isDisabled={!isOnline}
          onChange={(id) => {
            setChosen(id)
            forget()
          }}
        />
        <Button
          isDisabled={!isOnline || chosen === null}
          isPending={isPending}
          icon={<Eye size={16} aria-hidden />}
          onPress={() =>
            void ask(() => seeAs(backend, { workspace, table: table.descriptor.table, member: chosen ?? '' }))
          }
        >
          {words.look}
        </Button>
      </div>
      <CallFailureText failure={failure} />
      {answer ? (
        <>
          <p role="status">
            {counts?.sees === undefined || counts.sees === null
              ? words.notCounted
              : `${words.seesRecords({ sees: counts.sees })}, ${words.edits({ changes: counts.changes ?? 0 })}`}
          </p>
          <Rows label={words.newest}>
            {(answer.records ?? []).map((record) => (
              <SeenRecord key={record.id} record={record} table={table} rules={rules} fields={fields} />
            ))}
          </Rows>
        </>
      ) : null}
    </Section>
  )
}

function SeenRecord({
  record,
  table,
  rules,
  fields,
}: {
  readonly record: NonNullable<SeenAs['records']>[number]
  readonly table: TableInfo
  readonly rules: AccessRules
  readonly fields: readonly Field[]
}): JSX.Element {
  const { title } = useRecordTitle(table, record.id)
  const { sees, changes } = record
  const label = !sees ? words.hidden : changes ? words.editable : words.visible
  const Icon = !sees ? EyeOff : changes ? Pencil : Eye
  const [policy] = changes ? record.changesBy : record.seesBy
  return (
    <Row
      title={title}
      mark={
        <span className="inline-flex items-center gap-1 text-small text-muted">
          <Icon size={14} aria-hidden />
          {label}
        </span>
      }
    >
      {policy === undefined ? undefined : words.because(reasonOf(policy, rules, fields))}
    </Row>
  )
}
