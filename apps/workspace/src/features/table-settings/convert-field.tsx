import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { RadioGroup } from '../../components/radio-group.tsx'
import { Select } from '../../components/select.tsx'
import { type CallFailure, useCall } from '../../hooks/use-call.ts'
import { linkTables } from '../../lib/data/link-tables.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useFindTable, useTables, useWordedSchema } from '../../lib/data/use-tables.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { newTableMessages } from '../../messages/new-table.ts'
import { tableSettingsMessages } from '../../messages/table-settings.ts'
import { convertFieldMessages as words } from '../../messages/convert-field.ts'
import { type Conversion, convertChange, type DateOrder, hasOrder, LINK, newTypesOf, type Rest } from './conversions.ts'
import { Outcome, type TableChange, useTableChange } from './table-change.tsx'

const ORDERS = ['iso', 'dmy', 'mdy'] as const

/** Changes the type of a field, after a preview of the values that do not convert. */
export function ConvertField({
  table,
  field,
  onClose,
}: {
  readonly table: TableInfo
  readonly field: Field
  readonly onClose: () => void
}): JSX.Element {
  const of = useTableChange({ table, onClose })
  const findTable = useFindTable()
  const tables = linkTables(useTables(), useWordedSchema())
  const titleOf = (name: string): string => findTable(name)?.titleColumn ?? 'name'
  const types = newTypesOf(field)
  const [kind, setKind] = useState<string>()
  const [order, setOrder] = useState<DateOrder>('iso')
  const [dropsTime, setDropsTime] = useState(false)
  const [rest, setRest] = useState<Rest>('keep')
  const asked =
    kind === undefined
      ? undefined
      : convertChange({ field, kind, order, dropsTime, rest, titleOf, keepLabel: words.before(field.label) })
  const { found, failure } = usePreview(of, asked)
  const change =
    asked && found ? { ...asked, to: { ...asked.to, ...(found.choices && { choices: found.choices }) } } : undefined
  return (
    <FormDialog
      title={words.title(field.label)}
      submitLabel={words.submit}
      isPending={of.call.isPending}
      isDisabled={!of.isOnline || change === undefined}
      onSubmit={async () => void (change && (await of.run(change, words.done(field.label))))}
      onClose={onClose}
    >
      <Select
        label={words.type}
        options={[
          ...types.map((value) => ({ value: value as string, label: newTableMessages.kinds[value] })),
          ...(field.kind === 'link' || types.length === 0
            ? []
            : [
                { value: `${LINK}hf_members`, label: tableSettingsMessages.person },
                ...tables.map(({ name, label }) => ({
                  value: `${LINK}${name}`,
                  label: newTableMessages.linkTo(label),
                })),
              ]),
        ]}
        value={kind ?? ''}
        onChange={setKind}
      />
      {types.length === 0 ? <p>{words.fixed}</p> : null}
      {kind === 'date' && field.kind === 'datetime' ? (
        <Checkbox isSelected={dropsTime} onChange={setDropsTime}>
          {words.dropTime}
        </Checkbox>
      ) : null}
      {kind !== undefined && hasOrder(field, kind) ? (
        <Select
          label={words.order}
          options={ORDERS.map((value) => ({ value, label: words.orders[value] }))}
          value={order}
          onChange={(value) => setOrder(ORDERS.find((one) => one === value) ?? 'iso')}
        />
      ) : null}
      {found ? <Found found={found} rest={rest} onRest={setRest} keepLabel={words.before(field.label)} /> : null}
      {asked && !found && !failure && of.isOnline ? <p role="status">{words.checking}</p> : null}
      <CallFailureText failure={failure} />
      <Outcome change={change} of={of} />
    </FormDialog>
  )
}

/** Asks the server what a new type would do to the values. */
function usePreview(
  of: TableChange,
  asked: object | undefined,
): { readonly found: Conversion | undefined; readonly failure: CallFailure | undefined } {
  const { run, failure } = useCall(of.refusals)
  const [known, setKnown] = useState<{ readonly of: string; readonly found: Conversion }>()
  const wanted = asked && JSON.stringify({ ...asked, rest: undefined })
  const ask = useEffectEvent(async (wantedNow: string, change: object) => {
    const got = await run<Conversion>('field_conversion', of.args(change))
    if (got) setKnown({ of: wantedNow, found: got.result })
  })
  const { isOnline } = of
  useEffect(() => {
    if (wanted === undefined || !isOnline) return
    const timer = setTimeout(() => void ask(wanted, JSON.parse(wanted) as object), 200)
    return () => clearTimeout(timer)
  }, [wanted, isOnline])
  return { found: known?.of === wanted ? known?.found : undefined, failure: asked && failure }
}

function Found({
  found: { total, lost, values, choices },
  rest,
  onRest,
  keepLabel,
}: {
  readonly found: Conversion
  readonly rest: Rest
  readonly onRest: (rest: Rest) => void
  readonly keepLabel: string
}): JSX.Element {
  return (
    <>
      {choices === undefined ? null : <p>{words.options(choices.length)}</p>}
      {lost === 0 ? (
        <Notice tone="success" role="status" title={words.all(total)} />
      ) : (
        <>
          <Notice tone="warning" role="status" title={words.lost(lost, total)}>
            {/* Makes it scrollable by keyboard. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <ul tabIndex={0} aria-label={words.values} className="max-h-48 overflow-auto">
              {values.map(({ text, records }) => (
                <li key={text} className="flex gap-3">
                  <span className="min-w-0 flex-1 truncate">{text}</span>
                  <span className="tabular-nums">{words.records(records)}</span>
                </li>
              ))}
            </ul>
          </Notice>
          <RadioGroup<Rest>
            label={words.rest}
            options={[
              { value: 'keep', label: words.rests.keep, description: words.keptIn(keepLabel) },
              { value: 'empty', label: words.rests.empty },
            ]}
            value={rest}
            onChange={onRest}
          />
        </>
      )}
    </>
  )
}
