import { Check } from 'lucide-react'
import { type JSX, useId } from 'react'
import { cx } from '../../../lib/cx.ts'

/** Picks one of a few answers, sized for a thumb in a glove. Native elements already provide everything radio buttons need. */
export function BigChoices({
  label,
  isLabelHidden = false,
  options,
  value,
  isReadOnly = false,
  onChange,
}: {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly options: readonly { readonly value: string; readonly label: string; readonly name?: string }[]
  readonly value: string | null
  readonly isReadOnly?: boolean
  readonly onChange: (value: string) => void
}): JSX.Element {
  const group = useId()
  const isRow = options.length <= 4 && options.every((option) => option.label.length <= 9)
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className={isLabelHidden ? 'sr-only' : 'pb-2 text-body font-medium'}>{label}</legend>
      <div className={cx('gap-2', isRow ? 'grid auto-cols-fr grid-flow-col' : 'flex flex-col')}>
        {options.map((option) => (
          <label
            key={option.value}
            className="relative flex min-h-14 items-center justify-center gap-1.5 rounded-lg border border-control bg-raised px-2 text-center text-heading transition-colors select-none hover:bg-surface has-checked:border-accent has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus has-disabled:opacity-75 forced:has-checked:border-[Highlight]"
          >
            <input
              type="radio"
              name={group}
              value={option.value}
              checked={value === option.value}
              disabled={isReadOnly}
              aria-label={option.name ?? option.label}
              onChange={() => onChange(option.value)}
              className="peer absolute inset-0 m-0 size-full cursor-default opacity-0"
            />
            {option.label}
            <Check size={18} aria-hidden className="hidden shrink-0 peer-checked:block" />
          </label>
        ))}
      </div>
    </fieldset>
  )
}
