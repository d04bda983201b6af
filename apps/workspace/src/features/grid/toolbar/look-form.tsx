import { Plus, X } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../../components/button.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { lookMessages as words } from '../../../messages/look.ts'
import {
  type ColorRule,
  FROZEN_MAX,
  parseFrozen,
  parseHeight,
  parseRules,
  renderRules,
  ROW_HEIGHTS,
  RULES_MAX,
  TONES,
} from '../dress/view-looks.ts'
import { emptyFilter, FilterForm } from '../../../components/filter/filter-form.tsx'

const AUTOMATIC = ''
const WHOLE = ''

export interface LookProps {
  readonly fields: readonly Field[]
  readonly height?: string | undefined
  readonly freeze?: string | undefined
  readonly color?: string | undefined
  readonly onChange: (setting: 'height' | 'freeze' | 'color', text: string | undefined) => void
}

/** Row height, frozen columns and colour rules. */
export function LookForm({ fields, height, freeze, color, onChange }: LookProps): JSX.Element {
  const frozen = parseFrozen(freeze)
  const rules = parseRules(color)
  const setRules = (next: readonly ColorRule[]): void => onChange('color', renderRules(next))
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-3">
        <Select
          label={words.height}
          className="min-w-40 flex-1"
          value={parseHeight(height) ?? AUTOMATIC}
          options={[
            { value: AUTOMATIC, label: words.automatic },
            ...ROW_HEIGHTS.map((value) => ({ value, label: words.heights[value] })),
          ]}
          onChange={(value) => onChange('height', value === AUTOMATIC ? undefined : value)}
        />
        <Select
          label={words.frozen}
          className="min-w-40 flex-1"
          value={frozen === undefined ? AUTOMATIC : String(frozen)}
          options={[
            { value: AUTOMATIC, label: words.automatic },
            ...Array.from({ length: FROZEN_MAX + 1 }, (_, count) => ({
              value: String(count),
              label: words.columns(count),
            })),
          ]}
          onChange={(value) => onChange('freeze', value === AUTOMATIC ? undefined : value)}
        />
      </div>
      <section aria-labelledby="look-rules" className="flex flex-col gap-2">
        <h3 id="look-rules" className="text-body font-medium">
          {words.rules}
        </h3>
        <ul className="flex flex-col gap-3">
          {rules.map((rule, index) => (
            <li key={index}>
              <RuleForm
                fields={fields}
                rule={rule}
                onChange={(next) => setRules(rules.map((one, at) => (at === index ? next : one)))}
                onRemove={() => setRules(rules.filter((_, at) => at !== index))}
              />
            </li>
          ))}
        </ul>
        {rules.length < RULES_MAX ? (
          <Button
            size="sm"
            className="self-start"
            icon={<Plus size={14} aria-hidden />}
            onPress={() => setRules([...rules, { tone: 'warning', field: undefined, filter: emptyFilter(fields) }])}
          >
            {words.addRule}
          </Button>
        ) : null}
      </section>
    </div>
  )
}

function RuleForm({
  fields,
  rule,
  onChange,
  onRemove,
}: {
  readonly fields: readonly Field[]
  readonly rule: ColorRule
  readonly onChange: (rule: ColorRule) => void
  readonly onRemove: () => void
}): JSX.Element {
  return (
    <div role="group" aria-label={words.rule} className="rounded-md border border-border p-2">
      <div className="flex items-end gap-2 pb-2">
        <Select
          label={words.tone}
          className="min-w-0 flex-1"
          value={rule.tone}
          options={TONES.map((tone) => ({ value: tone, label: words.tones[tone] }))}
          onChange={(value) => onChange({ ...rule, tone: TONES.find((tone) => tone === value) ?? rule.tone })}
        />
        <Select
          label={words.target}
          className="min-w-0 flex-1"
          value={rule.field ?? WHOLE}
          options={[{ value: WHOLE, label: words.whole }, ...fields.map(({ name, label }) => ({ value: name, label }))]}
          onChange={(field) => onChange({ ...rule, field: field === WHOLE ? undefined : field })}
        />
        <IconButton label={words.removeRule} icon={<X size={16} aria-hidden />} onPress={onRemove} />
      </div>
      <FilterForm
        fields={fields}
        filter={rule.filter}
        none={words.noConditions}
        onChange={(filter) => onChange({ ...rule, filter })}
      />
    </div>
  )
}
