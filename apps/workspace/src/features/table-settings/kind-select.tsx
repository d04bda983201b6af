import { Check, ChevronDown } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from 'react-aria-components/Button'
import { Header } from 'react-aria-components/Header'
import { Label } from 'react-aria-components/Label'
import { ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select, SelectValue } from 'react-aria-components/Select'
import { popoverClass } from '../../components/layers/layer-props.ts'
import { optionClass } from '../../components/option-class.ts'
import { fieldLabelClass } from '../../components/text-field.tsx'
import { cx } from '../../lib/cx.ts'
import type { KindGroup } from './field-kinds.ts'

/** A select of kinds of fields under headings. */
export function KindSelect({
  label,
  groups,
  value,
  onChange,
}: {
  readonly label: string
  readonly groups: readonly KindGroup[]
  readonly value: string
  readonly onChange: (kind: string) => void
}): JSX.Element {
  return (
    <Select
      selectedKey={value}
      onSelectionChange={(key) => {
        if (key !== null) onChange(String(key))
      }}
      className="flex flex-col gap-1.5"
    >
      <Label className={fieldLabelClass}>{label}</Label>
      <Button className="flex h-9 w-full min-w-0 items-center justify-between gap-2 rounded-sm border border-control bg-bg pr-2 pl-3 text-left text-body data-hovered:border-muted coarse:h-11">
        <SelectValue className="truncate" />
        <ChevronDown size={16} aria-hidden className="text-muted" />
      </Button>
      <Popover className={cx(popoverClass, 'min-w-(--trigger-width) overflow-auto p-1')}>
        <ListBox className="outline-none">
          {groups.map(({ heading, kinds }) => (
            <ListBoxSection key={heading}>
              <Header className="px-3 pt-3 pb-1 text-small font-medium text-muted">{heading}</Header>
              {kinds.map((kind) => (
                <ListBoxItem key={kind.value} id={kind.value} textValue={kind.label} className={optionClass}>
                  {({ isSelected }) => (
                    <>
                      <span className="flex w-4 justify-center text-accent">
                        {isSelected ? <Check size={16} aria-hidden /> : null}
                      </span>
                      {kind.label}
                    </>
                  )}
                </ListBoxItem>
              ))}
            </ListBoxSection>
          ))}
        </ListBox>
      </Popover>
    </Select>
  )
}
