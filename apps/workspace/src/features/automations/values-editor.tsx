import { useRecords } from '@holdfast/react'
import type { AutomationValues } from '@holdfast/protocol'
import { Plus, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Select } from '../../components/select.tsx'
import { valuesOf } from '../../lib/fields/condition.ts'
import type { Field } from '../../lib/fields/field.ts'
import { quoteName } from '../../lib/sql.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import { type AutomatedTable, settableFields, startValue } from './draft.ts'
import { TemplateField } from './template-field.tsx'

/** Which fields a step sets to what. */
export function ValuesEditor({
  set,
  target,
  table,
  isDisabled,
  onChange,
}: {
  readonly set: AutomationValues
  /** Whose fields are set. */
  readonly target: AutomatedTable
  /** The table of the trigger, whose fields texts can name. */
  readonly table: AutomatedTable
  readonly isDisabled: boolean
  readonly onChange: (set: AutomationValues) => void
}): JSX.Element {
  const fields = settableFields(target)
  const names = Object.keys(set)
  const free = fields.filter(({ name }) => !names.includes(name))
  const [next] = free
  return (
    <div className="flex flex-col items-start gap-2">
      {Object.entries(set).map(([name, value]) => {
        const field = fields.find((one) => one.name === name)
        return (
          <div key={name} className="flex w-full flex-wrap items-start gap-2">
            <Select
              label={words.setField}
              isLabelHidden
              className="w-44"
              isDisabled={isDisabled}
              value={name}
              options={[field ?? { name, label: words.goneField(name) }, ...free].map((one) => ({
                value: one.name,
                label: one.label,
              }))}
              onChange={(chosen) => {
                const other = fields.find((one) => one.name === chosen)
                if (!other || chosen === name) return
                onChange(
                  Object.fromEntries(
                    Object.entries(set).map(([key, kept]) =>
                      key === name ? [chosen, startValue(other)] : [key, kept],
                    ),
                  ),
                )
              }}
            />
            <span className="py-1.5 text-muted">{words.to}</span>
            {field ? (
              <div className="order-last flex min-w-0 basis-full tablet:order-none tablet:flex-1 tablet:basis-0">
                <ValueField
                  field={field}
                  value={value}
                  table={table}
                  isDisabled={isDisabled}
                  onChange={(changed) => onChange({ ...set, [name]: changed })}
                />
              </div>
            ) : null}
            <IconButton
              label={words.removeField}
              icon={<X size={16} aria-hidden />}
              isDisabled={isDisabled}
              onPress={() => onChange(Object.fromEntries(Object.entries(set).filter(([key]) => key !== name)))}
            />
          </div>
        )
      })}
      {isDisabled || !next ? null : (
        <Button
          tone="quiet"
          size="sm"
          icon={<Plus size={14} aria-hidden />}
          onPress={() => onChange({ ...set, [next.name]: startValue(next) })}
        >
          {words.addField}
        </Button>
      )}
    </div>
  )
}

interface ValueProps {
  readonly field: Field
  readonly value: string | null
  readonly table: AutomatedTable
  readonly isDisabled: boolean
  readonly onChange: (value: string | null) => void
}

function ValueField({ field, value, table, isDisabled, onChange }: ValueProps): JSX.Element {
  const known = valuesOf(field)
  if (field.link) return <LinkValue {...{ field, value, table, isDisabled, onChange }} />
  if (known.length > 0) return <ChosenValue {...{ field, value, table, isDisabled, onChange }} options={known} />
  const isDay = field.kind === 'date' || field.kind === 'datetime'
  return (
    <TemplateField
      label={words.valueOf(field.label)}
      isLabelHidden
      value={value ?? ''}
      table={table}
      {...(isDay && { description: words.dateHelp })}
      isDisabled={isDisabled}
      onChange={(text) => onChange(text === '' ? null : text)}
    />
  )
}

function ChosenValue({
  field,
  value,
  options,
  isDisabled,
  onChange,
}: ValueProps & { readonly options: readonly { value: string; label: string }[] }): JSX.Element {
  const shown = [...options, { value: '', label: words.noValue }]
  const given = value ?? ''
  return (
    <Select
      label={words.valueOf(field.label)}
      isLabelHidden
      className="min-w-44 flex-1"
      isDisabled={isDisabled}
      value={given}
      options={shown.some((one) => one.value === given) ? shown : [...shown, { value: given, label: given }]}
      onChange={(next) => onChange(next === '' ? null : next)}
    />
  )
}

/** Linked records on this device. */
const LINKS_MAX = 200

function LinkValue(props: ValueProps): JSX.Element {
  const { link } = props.field
  const title = link?.titleColumn === undefined ? 'id' : quoteName(link.titleColumn)
  const { rows } = useRecords<{ readonly value: string; readonly label: string }>(
    link
      ? `select id as value, coalesce(nullif(${title}, ''), id) as label from ${quoteName(link.table)} order by 2 collate nocase limit ${LINKS_MAX}`
      : '',
  )
  return <ChosenValue {...props} options={rows} />
}
