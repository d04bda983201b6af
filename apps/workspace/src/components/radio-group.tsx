import type { JSX, ReactNode } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup as AriaRadioGroup } from 'react-aria-components/RadioGroup'
import { fieldLabelClass } from './text-field.tsx'

/** A radio group with all choices visible. */
export function RadioGroup<Value extends string>({
  label,
  isLabelHidden = false,
  options,
  value,
  onChange,
}: {
  readonly label: string
  /** For use under a heading. */
  readonly isLabelHidden?: boolean
  readonly options: readonly {
    readonly value: Value
    readonly label: string
    /** Language of the label, if not the page's. */
    readonly lang?: string
    readonly description?: ReactNode
  }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}): JSX.Element {
  return (
    <AriaRadioGroup
      value={value}
      onChange={(next) => {
        const option = options.find((candidate) => candidate.value === next)
        if (option) onChange(option.value)
      }}
      className="flex flex-col gap-2"
    >
      <Label className={isLabelHidden ? 'sr-only' : fieldLabelClass}>{label}</Label>
      <div className="flex flex-col gap-2 tablet:flex-row">
        {options.map((option) => (
          <Radio
            key={option.value}
            value={option.value}
            className="group flex min-h-11 flex-1 cursor-default items-center gap-3 rounded-md border border-border px-3 py-2 text-body transition-colors data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-focus data-hovered:border-control data-selected:border-accent data-selected:bg-accent-soft"
          >
            <span className="flex size-4 shrink-0 items-center justify-center rounded-full border border-control bg-bg group-data-selected:border-accent">
              <span className="size-2 rounded-full group-data-selected:bg-accent forced:group-data-selected:bg-[Highlight]" />
            </span>
            <span lang={option.lang} className="flex flex-col">
              {option.label}
              {option.description === undefined ? null : (
                <span className="text-small text-muted">{option.description}</span>
              )}
            </span>
          </Radio>
        ))}
      </div>
    </AriaRadioGroup>
  )
}
